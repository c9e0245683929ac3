import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";
import { issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { CustomResourceDefinition } from "@tsbuilder/apimachinery/k8s/apiextensions/v1";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { freePort } from "@tsbuilder/apimachinery/port";
import type {
  ServiceReference,
  WebhookClientConfig,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { Core } from "../../registry/core.ts";
import type { ClusterOptions } from "../../start-cluster.ts";
import type { ApiObject, Stored } from "../../contract/api-object.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { Credentials, type Kubeconfig, kubeconfigOf } from "../../auth/credentials.ts";
import { type ReceivedResponse, send } from "../send.ts";
import type { ServiceResolver } from "../../admission/webhooks/webhook-client.ts";
import { type Program, startProgram } from "./program.ts";

/** The options that both kinds of clusters support. */
const supported: readonly (keyof ClusterOptions)[] = ["port", "authorization", "resolveService"];

/** Starts a real API server with the API of the embedded cluster. */
export async function startRealCluster(assets: string, options: ClusterOptions): Promise<OpenCluster> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const [unsupported] = given.filter(([name]) => !(supported as readonly string[]).includes(name));
  if (unsupported) throw embeddedOnly(`startTestCluster's option "${unsupported[0]}"`);
  const control = await startControlPlane({ assets, ...options });
  const kubeconfig = control.issue("kubernetes-admin", ["system:masters"]);
  const put = (object: ApiObject): Promise<ApiObject> => putRealObject(kubeconfig, object);
  const relays = options.resolveService && new ServiceRelays(options.resolveService, put);
  return {
    cluster: {
      url: control.url,
      kubeconfig,
      // A real server has no in-process API.
      core: new Proxy({} as Core, { get: unavailable("core") }),
      addUser: (name, groups = []) => control.issue(name, groups),
      snapshot: unavailable("snapshot()"),
      snapshotOf: unavailable("snapshotOf()"),
      restore: unavailable("restore()"),
      stop: async () => {
        await relays?.stop();
        await control.stop();
      },
    },
    put: (object) => (relays ? relays.put(object) : put(object)),
    served: (crd) => served(kubeconfig, crd),
  };
}

/**
 * Lets a real API server reach webhooks in the test's own process. For a Service of type ExternalName the server needs no
 * cluster network: it connects to the external name, here this machine, at the port in the reference, here that of a
 * relay, and still verifies the certificate for the Service's name. The relay looks up the process for each connection,
 * because it often starts after its configuration is installed.
 */
class ServiceRelays {
  readonly #resolve: ServiceResolver;
  readonly #put: (object: ApiObject) => Promise<ApiObject>;
  readonly #relays = new Map<string, Promise<Server>>();
  readonly #sockets = new Set<Socket>();

  constructor(resolve: ServiceResolver, put: (object: ApiObject) => Promise<ApiObject>) {
    this.#resolve = resolve;
    this.#put = put;
  }

  /** Installs an object, with its Service references replaced by relays. */
  async put(object: ApiObject): Promise<ApiObject> {
    const { namespace = "default", name = "" } = object.metadata;
    if (object.kind === "Service" && this.#relays.has(`${namespace}/${name}`)) {
      return this.#put(externalService({ namespace, name }));
    }
    return this.#put(await this.#redirected(object));
  }

  async stop(): Promise<void> {
    for (const relay of this.#relays.values()) (await relay).close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #redirected(object: ApiObject): Promise<ApiObject> {
    switch (object.kind) {
      case "MutatingWebhookConfiguration":
      case "ValidatingWebhookConfiguration": {
        const { webhooks = [] } = object as {
          webhooks?: readonly { readonly clientConfig: WebhookClientConfig }[];
        };
        const redirect = async (webhook: { readonly clientConfig: WebhookClientConfig }) => ({
          ...webhook,
          clientConfig: await this.#toRelay(webhook.clientConfig),
        });
        return { ...object, webhooks: await Promise.all(webhooks.map(redirect)) };
      }
      case "CustomResourceDefinition": {
        const { spec } = object as {
          spec?: { conversion?: { webhook?: { clientConfig?: WebhookClientConfig } } };
        };
        const { conversion } = spec ?? {};
        if (!conversion?.webhook?.clientConfig) return object;
        const clientConfig = await this.#toRelay(conversion.webhook.clientConfig);
        const webhook = { ...conversion.webhook, clientConfig };
        return { ...object, spec: { ...spec, conversion: { ...conversion, webhook } } };
      }
      default:
        return object;
    }
  }

  async #toRelay(config: WebhookClientConfig): Promise<WebhookClientConfig> {
    if (!config.service) return config;
    const { port } = (await this.#relayTo(config.service)).address() as AddressInfo;
    return { ...config, service: { ...config.service, port } };
  }

  #relayTo(service: ServiceReference): Promise<Server> {
    const key = `${service.namespace}/${service.name}`;
    const relay = this.#relays.get(key) ?? this.#open(service);
    this.#relays.set(key, relay);
    return relay;
  }

  async #open(service: ServiceReference): Promise<Server> {
    const { namespace, name, port = 443 } = service;
    await this.#put({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await this.#put(externalService(service));
    const server = createServer((incoming) => {
      const place = this.#resolve(namespace, name, port);
      this.#keep(incoming);
      if (!place) {
        incoming.destroy();
        return;
      }
      const outgoing = connect(place.port, place.host);
      this.#keep(outgoing);
      incoming.once("close", () => outgoing.destroy());
      outgoing.once("close", () => incoming.destroy());
      incoming.pipe(outgoing).pipe(incoming);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    // The peer sees the end of its connection.
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

function externalService({ namespace, name }: ServiceReference): ApiObject {
  const spec = { type: "ExternalName", externalName: "localhost" };
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec };
}

interface ControlPlaneOptions {
  /** The folder with the programs. */
  readonly assets: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly authorization?: "RBAC" | "AlwaysAllow" | undefined;
}

/** Starts a kube-apiserver and its etcd on loopback, with a temporary folder. They end with this process. */
export async function startControlPlane({ assets, port, authorization = "RBAC" }: ControlPlaneOptions) {
  const credentials = new Credentials();
  const files = writeControlPlaneFiles(credentials);
  const ports = {
    etcdClient: await freePort(),
    etcdPeer: await freePort(),
    secure: port || (await freePort()),
  };
  const url = `https://127.0.0.1:${ports.secure}`;
  const issue = (user: string, groups: readonly string[]): Kubeconfig => {
    const subject = { commonName: user, organizations: groups };
    const { cert, key } = issueCertificate(credentials.ca, { ...subject, usages: ["client"] });
    const certificateAuthority = credentials.ca.cert;
    return kubeconfigOf({ server: url, user, certificateAuthority, clientCertificate: cert, clientKey: key });
  };
  const etcd = startProgram(join(assets, "etcd"), etcdFlags(files, ports));
  const apiserver = startProgram(join(assets, "kube-apiserver"), apiserverFlags(files, ports, authorization));
  const stop = async (): Promise<void> => {
    await Promise.all([apiserver.stop(), etcd.stop()]);
    rmSync(files.folder, { recursive: true, force: true });
  };
  const watched = new AbortController();
  try {
    await Promise.race([
      failWhenEnded("etcd", etcd),
      failWhenEnded("kube-apiserver", apiserver),
      ready(issue("tsbuilder-testing", ["system:masters"]), watched.signal),
    ]);
    return { url, issue, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    watched.abort();
  }
}

/** The ports of a control plane, all on loopback. */
interface ControlPlanePorts {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly secure: number;
}

/** The files of a control plane, in a folder that is deleted with it. */
type ControlPlaneFiles = ReturnType<typeof writeControlPlaneFiles>;

/** etcd's data is not needed after a crash, so it does not wait for the disk. */
function etcdFlags({ etcdData }: ControlPlaneFiles, { etcdClient, etcdPeer }: ControlPlanePorts): string[] {
  return [
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${local(etcdClient)}`,
    `--advertise-client-urls=${local(etcdClient)}`,
    `--listen-peer-urls=${local(etcdPeer)}`,
    `--initial-advertise-peer-urls=${local(etcdPeer)}`,
    `--initial-cluster=default=${local(etcdPeer)}`,
    "--unsafe-no-fsync",
  ];
}

/** Without controllers namespaces have no ServiceAccount, so pods don't need one, as in envtest. */
function apiserverFlags(
  files: ControlPlaneFiles,
  { etcdClient, secure }: ControlPlanePorts,
  authorization: "RBAC" | "AlwaysAllow",
): string[] {
  return [
    `--etcd-servers=${local(etcdClient)}`,
    `--secure-port=${secure}`,
    "--bind-address=127.0.0.1",
    `--client-ca-file=${files.clientCA}`,
    `--tls-cert-file=${files.servingCert}`,
    `--tls-private-key-file=${files.servingKey}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    `--authorization-mode=${authorization}`,
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged=true",
  ];
}

/** Writes certificates and keys to a new folder that only its owner can read. */
function writeControlPlaneFiles({ ca, serving }: Credentials) {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-control-plane-"));
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  // In this format, kube-apiserver also accepts the private key as the public one.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "sec1", format: "pem" }) as string;
  return {
    folder,
    etcdData: join(folder, "etcd"),
    clientCA: write("client-ca.crt", ca.cert),
    servingCert: write("serving.crt", serving.cert),
    servingKey: write("serving.key", serving.key),
    serviceAccountKey: write("service-account.key", key),
  };
}

function local(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function failWhenEnded(name: string, program: Program): Promise<never> {
  await program.ended;
  const lastLines = program.log().trim().split("\n").slice(-15).join("\n");
  throw new Error(`${name} exited before it was ready. Its last output:\n${lastLines}`);
}

/** Waits without a time limit: callers have their own, and programs that can't start exit. */
async function ready(administrator: Kubeconfig, signal: AbortSignal): Promise<void> {
  for (const path of ["/readyz", "/api/v1/namespaces/default"]) {
    while (!signal.aborted && !(await answers(administrator, path))) await delay(50);
  }
}

async function answers(administrator: Kubeconfig, path: string): Promise<boolean> {
  try {
    return (await send(administrator, { method: "GET", path })).code === 200;
  } catch {
    return false;
  }
}

/** Creates or replaces an object over HTTP, as an administrator. */
async function putRealObject(administrator: Kubeconfig, object: ApiObject): Promise<ApiObject> {
  const path = await collectionPath(administrator, object);
  const created = await send(administrator, { method: "POST", path, body: object });
  if (created.code !== 409) return accepted(created, object);
  const one = `${path}/${object.metadata.name}`;
  const stored = accepted(await send(administrator, { method: "GET", path: one }), object);
  const { resourceVersion } = stored.metadata;
  const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
  return accepted(await send(administrator, { method: "PUT", path: one, body }), object);
}

/** Waits until the kinds of a CRD are served, which takes a real server a moment. */
async function served(administrator: Kubeconfig, crd: ApiObject): Promise<void> {
  const { group, names, versions } = (crd as unknown as Stored<CustomResourceDefinition>).spec;
  for (const { name } of versions.filter((version) => version.served)) {
    const path = `/apis/${group}/${name}/${names.plural}?limit=1`;
    while ((await send(administrator, { method: "GET", path })).code !== 200) await delay(50);
  }
}

interface ResourceList {
  readonly resources: readonly { name: string; kind: string; namespaced: boolean }[];
}

async function collectionPath(administrator: Kubeconfig, { apiVersion, kind, metadata }: ApiObject) {
  const prefix = parseApiVersion(apiVersion).group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const { body, code } = await send(administrator, { method: "GET", path: prefix });
  const { resources } = code === 200 ? (body as ResourceList) : { resources: [] };
  const resource = resources.find((each) => each.kind === kind && !each.name.includes("/"));
  if (!resource) throw new Error(`no resource serves ${apiVersion} ${kind}; is its CRD installed?`);
  return resource.namespaced
    ? `${prefix}/namespaces/${metadata.namespace ?? "default"}/${resource.name}`
    : `${prefix}/${resource.name}`;
}

function accepted({ code, body, text }: ReceivedResponse, { kind, metadata }: ApiObject): ApiObject {
  if (code < 300) return body as ApiObject;
  const { message = text } = (body ?? {}) as { message?: string };
  throw new Error(`the server refused ${kind} "${metadata.name}": ${message}`);
}

function unavailable(what: string): () => never {
  return () => {
    throw embeddedOnly(what);
  };
}

function embeddedOnly(what: string): Error {
  return new Error(
    `${what} is for the embedded cluster only, and this is a real API server: run this test without --real`,
  );
}
