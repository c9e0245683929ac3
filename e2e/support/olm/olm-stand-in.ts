import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { parseAllDocuments } from "yaml";
import type { ManifestObject } from "../../../src/ship/manifest.ts";

/** The bundles that images hold. */
export type BundleImages = Readonly<Record<string, readonly ManifestObject[]>>;

interface Subscription extends KubernetesObject {
  readonly spec: {
    readonly name: string;
    readonly channel: string;
    readonly source: string;
    readonly startingCSV?: string;
  };
  readonly status?: {
    readonly installedCSV?: string;
    readonly currentCSV?: string;
    readonly installPlanRef?: { readonly name: string };
  };
}

interface InstallPlan extends KubernetesObject {
  readonly spec: {
    readonly approval: string;
    readonly approved: boolean;
    readonly clusterServiceVersionNames: readonly string[];
  };
}

interface CatalogSource extends KubernetesObject {
  readonly spec: { readonly address: string };
}

interface Service extends KubernetesObject {
  readonly spec: { readonly selector: Readonly<Record<string, string>> };
}

interface Deployment extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly volumes: readonly { readonly configMap?: { readonly name: string } }[] };
    };
  };
}

interface Blob {
  readonly schema: string;
  readonly name: string;
  readonly image?: string;
  readonly entries?: readonly { readonly name: string; readonly replaces?: string }[];
}

const v1alpha1 = "operators.coreos.com/v1alpha1";

/**
 * Plays OLM, which no test runs: it makes a plan for the first version that a Subscription names, and for that which replaces
 * it in the channel, and creates the CRDs and the ClusterServiceVersion of an approved one. It installs no Deployment, and resolves no dependencies.
 */
export class OlmStandIn {
  readonly #client: Client;
  readonly #images: BundleImages;
  /** The phase in which versions end, with the message. */
  outcome: { readonly phase: string; readonly message: string } = { phase: "Succeeded", message: "" };

  constructor(client: Client, images: BundleImages) {
    this.#client = client;
    this.#images = images;
  }

  /** Does what is to do once. */
  async step(): Promise<void> {
    const subscriptions = await this.#kind<Subscription>("Subscription");
    const plans = await this.#kind<InstallPlan>("InstallPlan");
    const versions = await this.#kind("ClusterServiceVersion");
    for (const subscription of await this.#client.list(subscriptions)) {
      const { namespace } = subscription.metadata;
      const blobs = await this.#catalog(namespace!, subscription.spec.source);
      const newest = nextVersion(subscription, blobs);
      if (newest === undefined) continue;
      if (subscription.status?.currentCSV !== newest) {
        const spec = { approval: "Manual", approved: false, clusterServiceVersionNames: [newest] };
        const { metadata } = await this.#client.create(plans, {
          metadata: { namespace, generateName: "install-" },
          spec,
        });
        const state = {
          currentCSV: newest,
          installPlanRef: { name: metadata.name, namespace },
          lastUpdated: now,
        };
        await this.#status(subscriptions, subscription, { ...subscription.status, ...state });
      } else if (subscription.status?.installedCSV !== newest) {
        const found = await this.#client.find(plans, {
          namespace,
          name: subscription.status.installPlanRef!.name,
        });
        if (!found?.spec.approved) continue;
        const image =
          blobs.find(({ schema, name }) => schema === "olm.bundle" && name === newest)?.image ?? "";
        const label = `operators.coreos.com/${subscription.spec.name}.${namespace}`;
        for (const object of this.#images[image] ?? []) await this.#install(object, namespace!, label);
        const version = await this.#client.get(versions, { namespace, name: newest });
        await this.#status(versions, version, this.outcome);
        const former = subscription.status?.installedCSV;
        if (former !== undefined) await this.#client.delete(versions, { namespace, name: former });
        await this.#status(subscriptions, subscription, { ...subscription.status, installedCSV: newest });
      }
    }
  }

  async #kind<T extends KubernetesObject>(kind: string, apiVersion = v1alpha1): Promise<Kind<T>> {
    return (await this.#client.mapper.kindFor({ apiVersion, kind })) as unknown as Kind<T>;
  }

  /** The ConfigMap's data of the pod behind the address of a catalog. */
  async #catalog(namespace: string, name: string): Promise<Blob[]> {
    const source = await this.#client.get(await this.#kind<CatalogSource>("CatalogSource"), {
      namespace,
      name,
    });
    const [service = "", folder, end] = source.spec.address.split(/[.:]/u);
    if (folder !== namespace || end !== "svc") throw new Error(`no address of ${namespace}: ${name}`);
    const { spec } = await this.#client.get(await this.#kind<Service>("Service", "v1"), {
      namespace,
      name: service,
    });
    const deployments = await this.#client.list(await this.#kind<Deployment>("Deployment", "apps/v1"), {
      namespace,
    });
    const pod = deployments
      .map((one) => one.spec.template)
      .find(({ metadata }) =>
        Object.entries(spec.selector).every(([key, value]) => metadata.labels[key] === value),
      );
    const mounted = pod?.spec.volumes.find(({ configMap }) => configMap)?.configMap;
    const maps = await this.#kind<KubernetesObject & { data?: Record<string, string> }>("ConfigMap", "v1");
    const map = mounted && (await this.#client.find(maps, { namespace, name: mounted.name }));
    return parseAllDocuments(map?.data?.["catalog.yaml"] ?? "").map((one) => one.toJS() as Blob);
  }

  async #install(object: ManifestObject, namespace: string, label: string): Promise<void> {
    if (!["CustomResourceDefinition", "ClusterServiceVersion"].includes(object.kind)) return;
    const kind = await this.#client.mapper.kindFor(object);
    const metadata =
      kind.scope === "Namespaced"
        ? { ...object.metadata, namespace, labels: { [label]: "" } }
        : object.metadata;
    await this.#client.apply(kind, { ...object, metadata }, { fieldManager: "olm" });
  }

  async #status(kind: Kind, object: Pick<KubernetesObject, "metadata">, status: object): Promise<void> {
    await this.#client.patchStatus(kind, object as never, status as never);
  }
}

const now = "2026-01-01T00:00:00Z";

/** The version to plan or to install; undefined if the channel has none that follows. */
function nextVersion({ spec, status }: Subscription, blobs: readonly Blob[]): string | undefined {
  const current = status?.currentCSV;
  if (current !== undefined && status?.installedCSV !== current) return current;
  const channel = blobs.find(({ schema, name }) => schema === "olm.channel" && name === spec.channel);
  const next = channel?.entries?.find(({ name, replaces }) =>
    current === undefined ? name === spec.startingCSV : replaces === current,
  );
  return next?.name ?? current;
}
