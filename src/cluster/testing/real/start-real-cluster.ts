import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net";
import type { CustomResourceDefinition } from "@tsbuilder/apimachinery/k8s/apiextensions/v1";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type {
  ServiceReference,
  WebhookClientConfig,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { Core } from "../../registry/core.ts";
import type { ClusterOptions } from "../../start-cluster.ts";
import type { ApiObject, Stored } from "../../contract/api-object.ts";
import type { OpenCluster } from "../open-cluster.ts";
import { joinStreams } from "../../http/join-streams.ts";
import type { Kubeconfig } from "../../auth/credentials.ts";
import { type ReceivedResponse, send } from "../send.ts";
import { startControlPlane } from "./control-plane.ts";
import type { ServiceResolver } from "../../admission/webhooks/webhook-client.ts";

/** The options of `startTestCluster` that a real API server supports, too. */
const supportedOptions: readonly (keyof ClusterOptions)[] = ["port", "authorization", "resolveService"];

/** Starts a real API server in place of the embedded cluster. `core` and snapshots throw: a real server has none. */
export async function startRealCluster(assets: string, options: ClusterOptions): Promise<OpenCluster> {
  const unsupported = Object.entries(options).find(
    ([name, value]) => value !== undefined && !(supportedOptions as readonly string[]).includes(name),
  );
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
    served: (crd) => waitUntilServed(kubeconfig, crd),
  };
}

function unavailable(member: string): () => never {
  return () => {
    throw embeddedOnly(member);
  };
}

function embeddedOnly(feature: string): Error {
  return new Error(
    `${feature} is for the embedded cluster only, and this is a real API server: run this test without --real`,
  );
}

interface Webhook {
  readonly clientConfig: WebhookClientConfig;
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
    return this.#put(await this.#redirect(object));
  }

  async stop(): Promise<void> {
    for (const relay of this.#relays.values()) (await relay).close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #redirect(object: ApiObject): Promise<ApiObject> {
    switch (object.kind) {
      case "MutatingWebhookConfiguration":
      case "ValidatingWebhookConfiguration": {
        const { webhooks = [] } = object as { webhooks?: readonly Webhook[] };
        const redirectWebhook = async (webhook: Webhook) => ({
          ...webhook,
          clientConfig: await this.#toRelay(webhook.clientConfig),
        });
        return { ...object, webhooks: await Promise.all(webhooks.map(redirectWebhook)) };
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
      const address = this.#resolve(namespace, name, port);
      this.#keep(incoming);
      if (!address) {
        incoming.destroy();
        return;
      }
      const outgoing = connect(address.port, address.host);
      this.#keep(outgoing);
      joinStreams(incoming, outgoing);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

/** The Service that leads the real server to this machine. */
function externalService({ namespace, name }: ServiceReference): ApiObject {
  const spec = { type: "ExternalName", externalName: "localhost" };
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec };
}

/** Creates or replaces an object over HTTP, as an administrator. */
async function putRealObject(administrator: Kubeconfig, object: ApiObject): Promise<ApiObject> {
  const path = await collectionPath(administrator, object);
  const created = await send(administrator, { method: "POST", path, body: object });
  if (created.code !== 409) return acceptedObject(created, object);
  const objectPath = `${path}/${object.metadata.name}`;
  const stored = acceptedObject(await send(administrator, { method: "GET", path: objectPath }), object);
  const { resourceVersion } = stored.metadata;
  const body = { ...object, metadata: { ...object.metadata, resourceVersion } };
  return acceptedObject(await send(administrator, { method: "PUT", path: objectPath, body }), object);
}

/** Waits until the kinds of a CRD are served, which takes a real server a moment. */
async function waitUntilServed(administrator: Kubeconfig, crd: ApiObject): Promise<void> {
  const { group, names, versions } = (crd as unknown as Stored<CustomResourceDefinition>).spec;
  for (const { name } of versions.filter((version) => version.served)) {
    const path = `/apis/${group}/${name}/${names.plural}?limit=1`;
    while ((await send(administrator, { method: "GET", path })).code !== 200) await delay(50);
  }
}

/** The resources of a group version in discovery. */
interface ResourceList {
  readonly resources: readonly { name: string; kind: string; namespaced: boolean }[];
}

/** Finds the path of an object's collection by discovery. */
async function collectionPath(administrator: Kubeconfig, { apiVersion, kind, metadata }: ApiObject) {
  const prefix = parseApiVersion(apiVersion).group === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const { body, code } = await send(administrator, { method: "GET", path: prefix });
  const { resources } = code === 200 ? (body as ResourceList) : { resources: [] };
  const resource = resources.find((candidate) => candidate.kind === kind && !candidate.name.includes("/"));
  if (!resource) throw new Error(`no resource serves ${apiVersion} ${kind}; is its CRD installed?`);
  return resource.namespaced
    ? `${prefix}/namespaces/${metadata.namespace ?? "default"}/${resource.name}`
    : `${prefix}/${resource.name}`;
}

/** Returns the object of a response. Throws if the server has refused the object that was sent. */
function acceptedObject({ code, body, text }: ReceivedResponse, { kind, metadata }: ApiObject): ApiObject {
  if (code < 300) return body as ApiObject;
  const { message = text } = (body ?? {}) as { message?: string };
  throw new Error(`the server refused ${kind} "${metadata.name}": ${message}`);
}
