import {
  Children,
  type Client,
  type Clock,
  type ClusterScopedName,
  type Condition,
  type Context,
  type Desired,
  type Manager,
  type Reconciler,
  type Result,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { ConfigMap, Namespace, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Bundle, type BundleSource } from "./types.ts";

// +kubebuilder:rbac:groups=trust.example.com,resources=bundles,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=trust.example.com,resources=bundles/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=trust.example.com,resources=bundles/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps;secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch

/** The namespace whose ConfigMaps and Secrets are sources. */
export const trustNamespace = "trust";

const bundleLabel = "trust.example.com/bundle";

type StoredBundle = Stored<Bundle, ClusterScopedName>;

class SourceError extends Error {}

/** Reconciles Bundle objects. */
export class BundleReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  async reconcile(request: ClusterScopedName, { log, events }: Context): Promise<Result> {
    const bundle = await this.#client.find(Bundle, request);
    if (!bundle) return;

    let data: string;
    try {
      data = await this.#gather(bundle);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // Copies stay: old certificates are better than none.
      await this.#report(bundle, bundle.status?.namespaces, {
        status: "False",
        reason: "SourceNotFound",
        message: error.message,
      });
      events.warning(bundle, "SourceNotFound", error.message);
      return;
    }

    const { configMap, secret, namespaceLabels = {} } = bundle.spec.target;
    const { name } = bundle.metadata;
    const labels = { [bundleLabel]: bundle.metadata.uid };
    const children = new Children(this.#client, bundle, { clock: this.#clock });
    const namespaces = (await this.#client.list(Namespace)).filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        status?.phase !== "Terminating" &&
        Object.entries(namespaceLabels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    for (const { metadata } of namespaces) {
      const key = { namespace: metadata.name, name };
      if (configMap) {
        const desired: Desired<ConfigMap> = { metadata: { ...key, labels }, data: { [configMap.key]: data } };
        await children.set(ConfigMap, key, desired);
      }
      if (secret) {
        const desired: Desired<Secret> = {
          metadata: { ...key, labels },
          data: { [secret.key]: Buffer.from(data).toString("base64") },
        };
        await children.set(Secret, key, desired);
      }
    }
    await children.prune(ConfigMap, Secret);

    const [rejection] = children.rejections;
    const condition = await this.#report(
      bundle,
      namespaces.length,
      rejection
        ? { status: "False", reason: rejection.reason, message: rejection.message }
        : { status: "True", reason: "Synced", message: `The bundle is in ${namespaces.length} namespaces` },
    );
    log.info("Reconciled Bundle");
    return children.result(condition);
  }

  async #gather({ spec }: StoredBundle): Promise<string> {
    const parts: string[] = [];
    for (const source of spec.sources) parts.push((await this.#read(source)).trim());
    return `${[...new Set(parts)].join("\n")}\n`;
  }

  async #read({ configMap, secret, inline }: BundleSource): Promise<string> {
    if (configMap) {
      const found = await this.#client.find(ConfigMap, { namespace: trustNamespace, name: configMap.name });
      const value = found?.data?.[configMap.key];
      if (!value) throw new SourceError(`ConfigMap ${configMap.name} has no key ${configMap.key}`);
      return value;
    }
    if (secret) {
      const found = await this.#client.find(Secret, { namespace: trustNamespace, name: secret.name });
      const value = found?.data?.[secret.key];
      if (!value) throw new SourceError(`Secret ${secret.name} has no key ${secret.key}`);
      return Buffer.from(value, "base64").toString();
    }
    return inline ?? "";
  }

  async #report(
    bundle: StoredBundle,
    namespaces: number | undefined,
    ready: Pick<Condition, "status" | "reason" | "message">,
  ): Promise<Condition | undefined> {
    const observedGeneration = bundle.metadata.generation;
    const conditions = setCondition(
      bundle.status?.conditions,
      { type: "Ready", ...ready, observedGeneration },
      this.#clock,
    );
    await this.#client.patchStatus(Bundle, bundle, {
      ...bundle.status,
      observedGeneration,
      ...(namespaces !== undefined && { namespaces }),
      conditions,
    });
    return conditions.find(({ type }) => type === "Ready");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setup(manager: Manager): void {
  const { client, cache } = manager;
  const reconciler = new BundleReconciler(manager);
  cache.addIndex(Bundle, "source.configMap", ({ spec }) =>
    spec.sources.flatMap(({ configMap }) => (configMap ? [configMap.name] : [])),
  );
  cache.addIndex(Bundle, "source.secret", ({ spec }) =>
    spec.sources.flatMap(({ secret }) => (secret ? [secret.name] : [])),
  );
  const namesOf = (bundles: readonly StoredBundle[]): ClusterScopedName[] =>
    bundles.map(({ metadata }) => ({ name: metadata.name }));

  manager
    .controllerFor(Bundle)
    .named("bundle")
    .owns(ConfigMap)
    .owns(Secret)
    .watches(ConfigMap, async ({ metadata: { namespace, name } }) =>
      namespace === trustNamespace
        ? namesOf(await client.list(Bundle, { fields: { "source.configMap": name } }))
        : [],
    )
    .watches(Secret, async ({ metadata: { namespace, name } }) =>
      namespace === trustNamespace
        ? namesOf(await client.list(Bundle, { fields: { "source.secret": name } }))
        : [],
    )
    .watches(Namespace, async () => namesOf(await client.list(Bundle)))
    .complete(reconciler);
}
