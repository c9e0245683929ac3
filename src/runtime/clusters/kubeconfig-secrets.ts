import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import { metadataOnly } from "../client/metadata-only.ts";
import { formatKey } from "../client/object-key.ts";
import type { Context, Reconciler, Request } from "../controller/reconciler.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { Secret } from "../k8s/core/v1.ts";
import type { MemberCluster } from "../manager/cluster.ts";
import type { Manager } from "../manager/manager.ts";
import { configFromSecret } from "./config-from-secret.ts";

/** Which Secrets hold kubeconfigs, and what is done in their clusters. */
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
 * starts anew, and it is removed when its Secret is deleted or loses its labels.
 */
export function followKubeconfigSecrets(manager: Manager, options: KubeconfigSecretsOptions): void {
  manager
    .controllerFor(metadataOnly(Secret), {
      predicates: [({ object }) => object.metadata.namespace === options.namespace],
    })
    .named("kubeconfig-secrets")
    // One that takes long to end must not hold up the others.
    .withOptions({ maxConcurrentReconciles: 16 })
    .complete(new KubeconfigSecrets(manager, options));
}

class KubeconfigSecrets implements Reconciler {
  readonly #manager: Manager;
  readonly #options: KubeconfigSecretsOptions;
  /** The kubeconfigs of the clusters that run. */
  readonly #running = new Map<string, string>();

  constructor(manager: Manager, options: KubeconfigSecretsOptions) {
    this.#manager = manager;
    this.#options = options;
  }

  async reconcile(request: Request, { log }: Context): Promise<void> {
    const { name } = request;
    const kubeconfig = await this.#read(this.#manager.client, request);
    if (kubeconfig === this.#running.get(name)) return;
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
    this.#running.set(name, kubeconfig);
    log.info("Added the cluster", { cluster: name, server: config.server });
  }

  /** Reads the kubeconfig of a Secret that is marked. */
  async #read(client: Client, request: Request): Promise<string | undefined> {
    const known = await client.find(metadataOnly(Secret), request);
    if (!known || !this.#isMarked(known.metadata)) return undefined;
    const secret = await client.find(Secret, request, { live: true });
    if (!secret || !this.#isMarked(secret.metadata)) return undefined;
    const { key = "kubeconfig" } = this.#options;
    const data = secret.data?.[key];
    if (data === undefined) throw new TerminalError(`Secret ${formatKey(request)} has no key "${key}"`);
    return Buffer.from(data, "base64").toString("utf8");
  }

  #isMarked({ labels = {} }: Pick<ObjectMeta, "labels">): boolean {
    return Object.entries(this.#options.labels).every(([label, value]) => labels[label] === value);
  }

  async #remove(name: string): Promise<void> {
    this.#running.delete(name);
    await this.#manager.clusters.get(name)?.remove();
  }
}
