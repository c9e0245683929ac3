import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";
import { parseAllDocuments } from "yaml";
import type { ManifestObject } from "../../src/ship/manifest.ts";

/** The bundles that images hold. */
export type BundleImages = Readonly<Record<string, readonly ManifestObject[]>>;

interface Subscription extends KubernetesObject {
  readonly spec: { readonly name: string; readonly channel: string; readonly source: string };
  readonly status?: {
    readonly installedCSV?: string;
    readonly currentCSV?: string;
    readonly installPlanRef?: { readonly name: string };
  };
}

interface InstallPlan extends KubernetesObject {
  readonly spec: { readonly approved: boolean; readonly clusterServiceVersionNames: readonly string[] };
}

interface Blob {
  readonly schema: string;
  readonly name: string;
  readonly image?: string;
  readonly entries?: readonly { readonly name: string; readonly replaces?: string }[];
}

const v1alpha1 = "operators.coreos.com/v1alpha1";

/**
 * Plays OLM, which no test runs: it makes a plan for the newest version in the catalog of a Subscription, and creates the
 * CRDs and the ClusterServiceVersion of an approved one. It installs no Deployment, and resolves no dependencies.
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
      const newest = blobs.find(({ entries }) => entries)?.entries?.at(-1)?.name;
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
        for (const object of this.#images[image] ?? []) await this.#install(object, namespace!);
        const version = await this.#client.get(versions, { namespace, name: newest });
        await this.#status(versions, version, this.outcome);
        const former = subscription.status?.installedCSV;
        if (former !== undefined) await this.#client.delete(versions, { namespace, name: former });
        await this.#status(subscriptions, subscription, { ...subscription.status, installedCSV: newest });
      }
    }
  }

  async #kind<T extends KubernetesObject>(kind: string): Promise<Kind<T>> {
    return (await this.#client.mapper.kindFor({ apiVersion: v1alpha1, kind })) as unknown as Kind<T>;
  }

  async #catalog(namespace: string, name: string): Promise<Blob[]> {
    const kind = await this.#client.mapper.kindFor({ apiVersion: "v1", kind: "ConfigMap" });
    const map = (await this.#client.find(kind, { namespace, name })) as
      | { data?: Record<string, string> }
      | undefined;
    return parseAllDocuments(map?.data?.["catalog.yaml"] ?? "").map((one) => one.toJS() as Blob);
  }

  async #install(object: ManifestObject, namespace: string): Promise<void> {
    if (!["CustomResourceDefinition", "ClusterServiceVersion"].includes(object.kind)) return;
    const kind = await this.#client.mapper.kindFor(object);
    const metadata = kind.scope === "Namespaced" ? { ...object.metadata, namespace } : object.metadata;
    await this.#client.apply(kind, { ...object, metadata }, { fieldManager: "olm" });
  }

  async #status(kind: Kind, object: Pick<KubernetesObject, "metadata">, status: object): Promise<void> {
    await this.#client.patchStatus(kind, object as never, status as never);
  }
}

const now = "2026-01-01T00:00:00Z";
