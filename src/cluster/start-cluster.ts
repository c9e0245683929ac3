import { writeAs } from "./registry/writers.ts";
import { inspect } from "node:util";
import { type CertificateWithKey, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { backgroundClock, type Clock } from "@tsbuilder/apimachinery/time";
import { type ServiceResolver, WebhookClient } from "./admission/webhooks/webhook-client.ts";
import { type AssembleOptions, assembleCluster } from "./assemble-cluster.ts";
import { Credentials, type Kubeconfig, loadCredentials } from "./auth/credentials.ts";
import type { KubeletTLS } from "./contract/kubelet-tls.ts";
import type { User } from "./contract/user.ts";
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
   * The entries about a proxy in front of other servers in the ConfigMap `extension-apiserver-authentication`, such as
   * `requestheader-client-ca-file`. This server trusts no proxy.
   */
  readonly frontProxy?: Readonly<Record<string, string>>;
  /** Static bearer tokens with their users. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Returns the local port behind a Service in a webhook configuration, as of an operator under development. */
  readonly resolveService?: ServiceResolver;
  /** Receives unexpected errors. Default: prints them to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** A running cluster. */
export interface Cluster {
  readonly url: string;
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: Kubeconfig;
  readonly core: Core;
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

/** Starts an API server on loopback, in this process. */
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

/** Starts a cluster whose data folder is locked, if it has one. */
async function startUnlocked(options: ClusterOptions): Promise<Cluster> {
  const { port = 0, host = "127.0.0.1", clock = backgroundClock, onError = reportError } = options;
  const journal = options.dataDir === undefined ? undefined : new FileJournal(options.dataDir);
  const stored = options.dataDir === undefined ? undefined : loadCredentials(options.dataDir);
  const credentials = new Credentials({
    ...stored,
    ...options.certificates,
    address: options.advertiseAddress,
  });
  for (const [token, user] of Object.entries(options.tokens ?? {})) credentials.addToken(token, user);
  const key = options.serviceAccountKey ?? stored?.serviceAccountKey;
  const clientCA = [credentials.ca.cert, options.certificates?.clientCA ?? []].flat();
  const { core, handler, run, stop } = await assembleCluster(
    { ...options, onError, ...(key !== undefined && { serviceAccountKey: key }) },
    {
      clock,
      webhooks: new WebhookClient(options.resolveService ?? (() => undefined)),
      findToken: (token) => credentials.findToken(token),
      caCertificate: credentials.ca.cert,
      authority: credentials.ca,
      journal,
      kubelets: kubeletTLS(credentials, options.kubelets),
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
    port: listener.port,
    address: options.advertiseAddress,
    authentication: { "client-ca-file": clientCA.join(""), ...options.frontProxy },
    kubeletClient: options.kubelets?.client ? undefined : kubeletClient,
  });
  return {
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

function reportError(error: unknown): void {
  process.stderr.write(`cluster: ${inspect(error)}\n`);
}
