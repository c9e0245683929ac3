import type { Client } from "@tsbuilder/runtime";
import type { ManifestObject } from "../ship/manifest.ts";
import {
  placeRbac,
  localConversion,
  localWebhooks,
  type LocalWebhooks,
  type ObjectPlace,
} from "./dev-objects.ts";
import { readConfig } from "./config-files.ts";
import { explainLeftover, explainRejection } from "./explain-rejection.ts";

/** Who owns what dev applies. */
const FIELD_MANAGER = "tsbuilder-dev";

/** Where the operator's own objects live in the cluster, and how its webhooks are reached. */
export interface DevPlace extends ObjectPlace {
  readonly webhooks: LocalWebhooks | undefined;
}

/** What was applied that makes no sense without the process on this machine: permissions and webhooks. */
export type Brought = Map<string, ManifestObject>;

/** Applies what the project's `config/` says now: definitions, the operator's permissions, webhook configurations. */
export async function applyConfig(
  project: string,
  client: Client,
  place: DevPlace,
  brought: Brought = new Map(),
): Promise<void> {
  const { namespace, webhooks } = place;
  const bring = async (objects: readonly ManifestObject[]): Promise<void> => {
    for (const object of objects) {
      await applyObjects(client, [object]);
      brought.set(`${object.kind}/${object.metadata.name}`, object);
    }
  };
  const patched = new Set(readConfig(project, "config/crd/patches").map(({ metadata }) => metadata.name));
  const definitions = readConfig(project, "config/crd/bases").map((definition) =>
    webhooks && patched.has(definition.metadata.name) ? localConversion(definition, webhooks) : definition,
  );
  await applyObjects(client, definitions);
  await applyObjects(client, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await bring(placeRbac(readConfig(project, "config/rbac"), place));
  if (webhooks) await bring(localWebhooks(readWebhooks(project), webhooks, place.prefix));
}

/** Takes back what was brought, the last first, and the conversion by the process on this machine. */
export async function takeBack(
  project: string,
  client: Client,
  { webhooks }: DevPlace,
  brought: Brought,
): Promise<void> {
  for (const [key, object] of [...brought].toReversed()) {
    const { namespace, name } = object.metadata;
    try {
      await client.delete(await client.mapper.kindFor(object), { namespace, name }).catch(ignoreNotFound);
    } catch (error) {
      throw explainLeftover(error, [...brought.values()]);
    }
    brought.delete(key);
  }
  if (webhooks) await applyObjects(client, readConfig(project, "config/crd/bases"));
}

/** Applies the project's samples. */
export async function applySamples(project: string, client: Client, namespace: string): Promise<number> {
  const samples = readConfig(project, "config/samples").map((sample) => ({
    ...sample,
    metadata: { namespace, ...sample.metadata },
  }));
  for (const sample of samples) {
    // A server can't prune what one owner applied in one version and then in another: each version has its own.
    const version = sample.apiVersion.split("/").at(-1)!;
    await applyObjects(client, [sample], `${FIELD_MANAGER}-${version}`);
  }
  return samples.length;
}

async function applyObjects(
  client: Client,
  objects: readonly ManifestObject[],
  fieldManager = FIELD_MANAGER,
): Promise<void> {
  for (const object of objects) {
    try {
      await applyObject(client, object, fieldManager);
    } catch (error) {
      throw explainRejection(error, object);
    }
  }
}

async function applyObject(client: Client, object: ManifestObject, fieldManager: string): Promise<void> {
  const kind = await client.mapper.kindFor(object);
  const { namespace, ...metadata } = object.metadata;
  const placed = kind.scope === "Namespaced" ? { ...metadata, namespace: namespace ?? "default" } : metadata;
  await client.apply(kind, { ...object, metadata: placed }, { fieldManager });
}

function readWebhooks(project: string): ManifestObject[] {
  const kinds = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
  return readConfig(project, "config/webhook").filter(({ kind }) => kinds.includes(kind));
}

function ignoreNotFound(error: unknown): void {
  if (!(error as { isNotFound?: boolean }).isNotFound) throw error;
}
