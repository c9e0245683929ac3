import type { Client } from "@tsbuilder/runtime";
import {
  placeRbac,
  localConversion,
  localWebhooks,
  type ConfigObject,
  type LocalWebhooks,
} from "./dev-objects.ts";
import { readConfig } from "./config-files.ts";

/** Who owns what dev applies. */
const FIELD_MANAGER = "tsbuilder-dev";

/** Where the operator's own objects live in the cluster, and how its webhooks are reached. */
export interface DevPlace {
  readonly namespace: string;
  readonly webhooks: LocalWebhooks | undefined;
}

/** Applies what the project's `config/` says now: definitions, the operator's permissions, webhook configurations. */
export async function applyConfig(project: string, client: Client, place: DevPlace): Promise<void> {
  const { namespace, webhooks } = place;
  const patched = new Set(readConfig(project, "config/crd/patches").map(({ metadata }) => metadata.name));
  const definitions = readConfig(project, "config/crd/bases").map((definition) =>
    webhooks && patched.has(definition.metadata.name) ? localConversion(definition, webhooks) : definition,
  );
  await applyObjects(client, definitions);
  await applyObjects(client, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await applyObjects(client, placeRbac(readConfig(project, "config/rbac"), namespace));
  if (webhooks)
    await applyObjects(
      client,
      localWebhooks(readConfig(project, "config/webhook").filter(isWebhook), webhooks),
    );
}

/** Applies the project's samples. */
export async function applySamples(project: string, client: Client): Promise<number> {
  const samples = readConfig(project, "config/samples").map((sample) => ({
    ...sample,
    metadata: { namespace: "default", ...sample.metadata },
  }));
  await applyObjects(client, samples);
  return samples.length;
}

async function applyObjects(client: Client, objects: readonly ConfigObject[]): Promise<void> {
  for (const object of objects) {
    const kind = await client.mapper.kindFor(object);
    const { namespace, ...metadata } = object.metadata;
    const placed =
      kind.scope === "Namespaced" ? { ...metadata, namespace: namespace ?? "default" } : metadata;
    await client.apply(kind, { ...object, metadata: placed }, { fieldManager: FIELD_MANAGER });
  }
}

function isWebhook({ kind }: ConfigObject): boolean {
  return kind === "MutatingWebhookConfiguration" || kind === "ValidatingWebhookConfiguration";
}
