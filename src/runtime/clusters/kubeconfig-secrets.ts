import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { createCache } from "../cache/create-cache.ts";
import { syncFailure } from "../cache/cache.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { formatKey, keyOf, type NamespacedName } from "../client/client.ts";
import { onAbort } from "../clock/waits.ts";
import type { Context, Reconciler } from "../controller/reconciler.ts";
import type { Source } from "../controller/source.ts";
import { TerminalError } from "../errors/api-error.ts";
import { Secret } from "../k8s/core/v1.ts";
import type { MemberCluster } from "../manager/cluster.ts";
import type { Manager } from "../manager/manager.ts";
import type { ClusterConfig } from "../http/config.ts";
import { type KubeconfigFile, parseKubeconfig } from "../config/kubeconfig-file.ts";
import { loadConfig } from "../config/load-config.ts";

/** Selects the Secrets that hold kubeconfigs, and sets up the controllers of their clusters. */
export interface KubeconfigSecretsOptions {
  /** The namespace of the Secrets. A Secret's name becomes the name of its cluster. */
  readonly namespace: string;
  /** The labels that mark them. */
  readonly labels: { readonly [label: string]: string };
  /** The key of the kubeconfig. Default: `kubeconfig`; Cluster API writes `value`. */
  readonly key?: string | undefined;
  /** Adds the controllers of a cluster. */
  readonly setup: (cluster: MemberCluster) => void | Promise<void>;
}

/**
 * Adds the clusters of the kubeconfigs in Secrets, and removes them again: with each change of a kubeconfig its cluster
 * starts again, and it is removed when its Secret is deleted or loses its labels.
 */
export function followKubeconfigSecrets(manager: Manager, options: KubeconfigSecretsOptions): void {
  manager
    // Not by kind: with sharding, the leader follows all Secrets, because it also runs the controllers of the clusters.
    .controllerOf(formatKey)
    .named(`kubeconfig-secrets/${options.namespace}`)
    // A cluster that takes long to stop must not delay the others.
    .withOptions({ maxConcurrentReconciles: 16 })
    .watchesSource(watchMarkedSecrets(manager, options))
    .complete(new KubeconfigSecrets(manager, options));
}

/** Enqueues the keys of the Secrets with the labels. Watches only their metadata: kubeconfigs stay out of the cache. */
function watchMarkedSecrets(
  manager: Manager,
  { namespace, labels }: KubeconfigSecretsOptions,
): Source<NamespacedName> {
  return {
    name: `Secrets with kubeconfigs in ${namespace}`,
    async start(enqueue, { signal, patience, log }) {
      const cache = createCache(manager.client.with({ live: true }), {
        namespaces: [namespace],
        labels: Object.entries(labels)
          .map(([label, value]) => `${label}=${value}`)
          .join(),
        clock: manager.clock,
        onError: (error) => log.error("Watch failed, trying again", { kind: Secret.kind, error }),
      });
      onAbort(signal, () => void cache.stop());
      const informer = cache.informer(metadataOnly(Secret));
      const subscription = informer.subscribe(({ object }) => enqueue(keyOf(object)));
      cache.start();
      await subscription.synced(patience).catch((error: unknown) => {
        if (!signal.aborted) throw syncFailure(informer, error);
      });
    },
  };
}

/** Adds, replaces or removes the cluster of a Secret. */
class KubeconfigSecrets implements Reconciler {
  readonly #manager: Manager;
  readonly #options: KubeconfigSecretsOptions;
  /** The clusters that run, by the names of their Secrets. */
  readonly #running = new Map<string, { readonly kubeconfig: string; readonly cluster: MemberCluster }>();

  constructor(manager: Manager, options: KubeconfigSecretsOptions) {
    this.#manager = manager;
    this.#options = options;
  }

  async reconcile(request: NamespacedName, { log }: Context): Promise<void> {
    const { name } = request;
    const kubeconfig = await this.#read(request);
    if (kubeconfig === this.#running.get(name)?.kubeconfig) return;
    if (kubeconfig === undefined) {
      await this.#remove(name);
      log.info("Removed the cluster", { cluster: name });
      return;
    }
    // A cluster goes on with its old kubeconfig while the new one is wrong.
    const config = await configFromSecret(kubeconfig, `Secret ${formatKey(request)}`);
    await this.#remove(name);
    const cluster = this.#manager.addCluster(name, config);
    try {
      await this.#options.setup(cluster);
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    this.#running.set(name, { kubeconfig, cluster });
    log.info("Added the cluster", { cluster: name, server: config.server });
  }

  /** Reads the kubeconfig; undefined if the Secret is gone or has lost its labels. */
  async #read(request: NamespacedName): Promise<string | undefined> {
    const secret = await this.#manager.client.find(Secret, request, { live: true });
    if (!secret || !this.#isMarked(secret.metadata)) return undefined;
    const { key = "kubeconfig" } = this.#options;
    const data = secret.data?.[key];
    if (data === undefined) throw new TerminalError(`Secret ${formatKey(request)} has no key "${key}"`);
    return Buffer.from(data, "base64").toString("utf8");
  }

  #isMarked({ labels = {} }: Pick<ObjectMeta, "labels">): boolean {
    return Object.entries(this.#options.labels).every(([label, value]) => labels[label] === value);
  }

  /** Removes a cluster that was added here, but not one of the same name that the operator itself added. */
  async #remove(name: string): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.cluster.remove();
  }
}

/** The fields with which a kubeconfig makes this process read a file or run a program. */
const forbiddenFields = {
  cluster: ["certificate-authority"],
  user: ["exec", "auth-provider", "tokenFile", "client-certificate", "client-key"],
} as const;

/**
 * Reads a kubeconfig that another user of the cluster wrote. A user who may write such a Secret must not be able to run
 * programs in the operator's pod, or to send its files and tokens to a server: what would do that is refused.
 */
export async function configFromSecret(text: string, where: string): Promise<ClusterConfig> {
  const file = await parseOrThrow(text, where);
  for (const { name, cluster } of file.clusters ?? []) checkFields("cluster", name, cluster, where);
  for (const { name, user } of file.users ?? []) checkFields("user", name, user, where);
  return loadConfig({ kubeconfig: file });
}

async function parseOrThrow(text: string, where: string): Promise<KubeconfigFile> {
  try {
    return await parseKubeconfig(text);
  } catch (error) {
    throw new TerminalError(`the kubeconfig in ${where} can't be read: ${(error as Error).message}`);
  }
}

function checkFields(kind: "cluster" | "user", name: string, content: object, where: string): void {
  const field = forbiddenFields[kind].find((candidate) => candidate in content);
  if (field === undefined) return;
  throw new TerminalError(
    `the ${kind} "${name}" of the kubeconfig in ${where} has "${field}", which a Secret must not have: write certificates, keys and tokens into the kubeconfig itself`,
  );
}
