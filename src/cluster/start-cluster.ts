import { writeAs } from "./registry/writers.ts";
import { inspect } from "node:util";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { Service } from "@tsbuilder/apimachinery/k8s/core/v1";
import { backgroundClock, type Clock } from "@tsbuilder/apimachinery/time";
import {
  type WebhookPlace,
  type ReachHost,
  type ServiceResolver,
  WebhookClient,
} from "./admission/webhooks/webhook-client.ts";
import { type AssembleOptions, assembleCluster } from "./assemble-cluster.ts";
import { Credentials, type Kubeconfig, loadCredentials } from "./auth/credentials.ts";
import type { KubeletTLS } from "./contract/kubelet-tls.ts";
import type { User } from "./contract/user.ts";
import { controllerNames } from "./controllers/index.ts";
import { frontProxyName, requestHeaders } from "./handlers/connect/aggregated-apis.ts";
import type { Ground, NodesOptions } from "./nodes/ground.ts";
import type { ClusterNodes } from "./nodes/nodes.ts";
import type { Core } from "./registry/core.ts";
import { listen } from "./server/serve.ts";
import { FileJournal, lockFolder } from "./storage/file-journal.ts";
import type { Snapshot, WrittenState } from "./storage/store.ts";

/** Options of `startCluster`. */
export interface ClusterOptions extends Partial<Omit<AssembleOptions, "state">> {
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Default: loopback. */
  readonly host?: string;
  /** The address by which pods reach the server; nodes need one that is not loopback. Default: none that exists. */
  readonly advertiseAddress?: string;
  readonly clock?: Clock;
  /** A folder for objects, certificates and keys. Default: everything is in memory. */
  readonly dataDir?: string;
  /** Certificates and keys (PEM) to use instead of new ones; `clientCA` is accepted besides the cluster's own CA. */
  readonly certificates?: {
    readonly ca?: CertificateWithKey;
    readonly serving?: CertificateWithKey;
    readonly clientCA?: string;
  };
  /** How the server connects to kubelets. Without a `client`, all that is absent is of the cluster's own CA. */
  readonly kubelets?: Partial<KubeletTLS>;
  /**
   * By what API servers behind this one know it: `settings` are entries of the ConfigMap `extension-apiserver-authentication`, such
   * as `requestheader-client-ca-file`, and `client` the certificate. This server itself trusts no proxy. Default: a CA for this alone.
   */
  readonly frontProxy?: {
    readonly settings: Readonly<Record<string, string>>;
    readonly client?: CertificateWithKey | undefined;
  };
  /** Static bearer tokens with their users. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Returns the local port behind a Service in a webhook configuration, as of an operator under development. */
  readonly resolveService?: ServiceResolver;
  /**
   * Real nodes, whose pods have containers: their number, or also where their programs come from. By default all controllers run
   * then. Such a cluster has the real time. Default: none; pods are pretended.
   */
  readonly nodes?: number | NodesOptions | undefined;
  /** Receives unexpected errors. Default: prints them to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** A running cluster. */
export interface Cluster {
  readonly url: string;
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: Kubeconfig;
  readonly core: Core;
  /** Undefined for a cluster without real nodes. */
  readonly nodes?: ClusterNodes | undefined;
  /** Issues a kubeconfig for a user with any name and groups; RBAC decides what the user may do. */
  addUser(name: string, groups?: readonly string[]): Kubeconfig;
  /** The current state of all objects, in constant time. */
  snapshot(): Snapshot;
  /** A snapshot of earlier states, such as those passed to `onWrite`, without any other objects. */
  snapshotOf(states: Iterable<WrittenState>): Snapshot;
  /** Restores a snapshot; clients see this as writes. If a user is given, `onWrite` receives it as the writer. */
  restore(snapshot: Snapshot, user?: string): void;
  stop(): Promise<void>;
}

/** Starts an API server on loopback, in this process; resolves when it serves, and its nodes are ready. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (options.dataDir === undefined) return startUnlocked(options);
  const unlock = lockFolder(options.dataDir);
  try {
    const cluster = await startUnlocked(options);
    return { ...cluster, stop: () => cluster.stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Starts a cluster whose data folder is locked, if it has one, and its nodes. */
async function startUnlocked({ nodes, ...options }: ClusterOptions): Promise<Cluster> {
  if (nodes === undefined || nodes === 0) return (await startServer(options)).cluster;
  if (options.clock && options.clock !== backgroundClock)
    throw new Error("a cluster with nodes has the real time");
  const { openGround } = await import("./nodes/ground.ts");
  const { joinNodes } = await import("./nodes/nodes.ts");
  const ground = await openGround(nodes);
  const started = await startServer({ controllers: controllerNames, ...options }, ground).catch(
    async (error: unknown) => {
      await ground.stop();
      throw error;
    },
  );
  const { cluster, accept, authority } = started;
  const stop = async (): Promise<void> => {
    await ground.stop();
    await cluster.stop();
  };
  try {
    return { ...cluster, stop, nodes: await joinNodes(ground, { ...cluster, accept, authority }) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the server alone; nodes are reached, and reach it, over the network of their ground. */
async function startServer(options: ClusterOptions, ground?: Ground) {
  const { port = 0, host = "127.0.0.1", clock = backgroundClock, onError = reportError } = options;
  const advertiseAddress = options.advertiseAddress ?? ground?.network.address;
  const journal = options.dataDir === undefined ? undefined : new FileJournal(options.dataDir);
  const stored = options.dataDir === undefined ? undefined : loadCredentials(options.dataDir);
  const credentials = new Credentials({
    ...stored,
    ...options.certificates,
    address: advertiseAddress,
  });
  for (const [token, user] of Object.entries(options.tokens ?? {})) credentials.addToken(token, user);
  const key = options.serviceAccountKey ?? stored?.serviceAccountKey;
  const clientCA = [credentials.ca.cert, options.certificates?.clientCA ?? []].flat();
  const frontProxy = options.frontProxy ?? newFrontProxy();
  const findService: ServiceResolver = (...service) =>
    options.resolveService?.(...service) ?? insideService(...service);
  const reach: ReachHost = (host) => (ground && isOnNodes(ground, host) ? ground.network.connect : undefined);
  const { core, handler, run, stop } = await assembleCluster(
    { ...options, onError, ...(key !== undefined && { serviceAccountKey: key }) },
    {
      clock,
      webhooks: new WebhookClient(findService, { reach }),
      frontProxy: {
        findService,
        get client() {
          return frontProxy.client;
        },
      },
      findToken: (token) => credentials.findToken(token),
      caCertificate: credentials.ca.cert,
      authority: credentials.ca,
      journal,
      kubelets: kubeletTLS(credentials, options.kubelets),
      connect: ground?.network.connect,
      loadImages:
        ground && (async (archive) => (await import("./nodes/nodes.ts")).loadImages(ground, archive)),
      servingCertificate: credentials.serving.cert,
    },
  );
  const listener = await listen(handler, {
    host,
    port,
    slices: core.slices,
    onError,
    serving: credentials.serving,
    clientCA,
  });
  await run({
    port: ground?.network.ports.api ?? listener.port,
    address: advertiseAddress,
    authentication: { "client-ca-file": clientCA.join(""), ...frontProxy.settings },
    kubeletClient: options.kubelets?.client ? undefined : kubeletClient,
  });
  const cluster: Cluster = {
    url: listener.url,
    core,
    kubeconfig: credentials.issue(listener.url, "kubernetes-admin", ["system:masters"]),
    addUser: (name, groups = []) => credentials.issue(listener.url, name, groups),
    snapshot: () => core.store.snapshot(),
    snapshotOf: (states) => core.store.snapshotOf(states),
    restore: (snapshot, user) => writeAs(user, () => core.store.restore(snapshot)),
    async stop() {
      await stop();
      await listener.close();
      journal?.close();
    },
  };
  return { cluster, accept: listener.accept, authority: credentials.ca };

  /** A Service of pods on nodes: kube-proxy there leads on to one of them. Without nodes, nothing listens behind it. */
  function insideService(namespace: string, name: string, port: number): WebhookPlace | undefined {
    const service = core.store.collection("services").get(`${namespace}/${name}`)?.object as
      | Service
      | undefined;
    const host = service?.spec?.clusterIP;
    return host && host !== "None" ? { host, port, connect: ground?.network.connect ?? refuse } : undefined;
  }
}

async function refuse(host: string, port: number): Promise<never> {
  const message = `dial tcp ${host}:${port}: connect: connection refused`;
  throw Object.assign(new Error(message), { code: "ECONNREFUSED" });
}

/** True for the address of a node, a pod or a Service. */
function isOnNodes({ machines }: Ground, host: string): boolean {
  const places = machines.flatMap(({ nodes }) => nodes);
  return /^10\.(?:96|245)\./u.test(host) || places.some(({ address }) => address === host);
}

/** The name of the server as a client of kubelets. It is in no group: a node's address may lead anywhere. */
const kubeletClient = "kube-apiserver-kubelet-client";

/** By default kubelets have certificates of the cluster's own CA, as does the server towards them. */
function kubeletTLS({ ca }: Credentials, given: Partial<KubeletTLS> = {}): KubeletTLS {
  let client = given.client;
  if (client) return { ...given, client };
  return {
    ca: ca.cert,
    // Names of nodes are seldom names that this machine knows.
    addressTypes: ["InternalIP", "ExternalIP", "Hostname"],
    ...given,
    // Few clusters have a kubelet, and a key takes a millisecond.
    get client() {
      return (client ??= issueCertificate(ca, { commonName: kubeletClient, usages: ["client"] }));
    },
  };
}

/** Makes an authority for nothing else: who has another certificate of the cluster must not speak for all users. */
function newFrontProxy(): NonNullable<ClusterOptions["frontProxy"]> {
  const ca = createCA({ commonName: "front-proxy-ca" });
  let client: CertificateWithKey | undefined;
  return {
    settings: { "requestheader-client-ca-file": ca.cert, ...requestHeaders },
    // Few clusters have another API server, and a key takes a millisecond.
    get client() {
      return (client ??= issueCertificate(ca, { commonName: frontProxyName, usages: ["client"] }));
    },
  };
}

function reportError(error: unknown): void {
  process.stderr.write(`cluster: ${inspect(error)}\n`);
}
