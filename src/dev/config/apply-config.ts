// The project's manifests in the cluster of a session. `applyConfig` adapts them to the cluster and to webhooks on this machine,
// and `explain-rejection` explains errors of the API server.

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { explainLeftover, explainRejection, isScopeOrKindChange } from "./explain-rejection.ts";
import { type Manifests, configManifests, readConfigFiles } from "./manifests.ts";

/** Where the operator's own objects are placed in the cluster, and how its webhooks are reached. */
export interface DevPlace extends ObjectPlace {
  readonly webhooks: LocalWebhooks | undefined;
  /** Receives each CRD that another scope or kind made dev replace, with its objects. If undefined, such CRDs are rejected. */
  readonly onReplaced?: ((name: string) => void) | undefined;
  /** Receives each object that is not applied because the cluster has no such kind, such as a ServiceMonitor. */
  readonly onLeftOut?: ((object: ManifestObject) => void) | undefined;
}

/** The address of the operator's webhooks on this machine. */
export interface LocalWebhooks {
  /** `https://HOST:PORT`, without a trailing slash. */
  readonly url: string;
  readonly caBundle: string;
}

/** The namespace and name prefix that replace the project's own in a cluster. */
export interface ObjectPlace {
  readonly namespace: string;
  /** Prefix of all names. Default: none. */
  readonly prefix?: string | undefined;
}

/** Applied objects that are useless without the process on this machine, RBAC and webhooks, by kind and name. */
export type AppliedObjects = Map<string, ManifestObject>;

/** Applies the project's `config/`: CRDs, the operator's RBAC and the webhook configurations. */
export function applyConfig(
  project: string,
  client: Client,
  place: DevPlace,
  applied?: AppliedObjects,
): Promise<void> {
  return applyManifests(configManifests(project), client, place, applied);
}

/** Applies an operator's manifests, adapted to the cluster and to webhooks on this machine. */
export async function applyManifests(
  { crds, converted, rbac, others, webhooks: configurations }: Manifests,
  client: Client,
  place: DevPlace,
  applied: AppliedObjects = new Map(),
): Promise<void> {
  const { namespace, webhooks, onReplaced } = place;
  const applyAndRecord = async (objects: readonly ManifestObject[]): Promise<void> => {
    for (const object of objects) {
      await applyObjects(client, [object]);
      applied.set(`${object.kind}/${object.metadata.name}`, object);
    }
  };
  for (const crd of crds) {
    const isConverted = webhooks && converted.has(crd.metadata.name);
    await applyDefinition(client, isConverted ? localConversion(crd, webhooks) : crd, onReplaced);
  }
  await applyObjects(client, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await applyAndRecord(placeRbac(rbac, place));
  for (const object of others) {
    if (await isServed(client, object)) await applyAndRecord([object]);
    else place.onLeftOut?.(object);
  }
  if (webhooks) await applyAndRecord(localWebhooks(configurations, webhooks, place.prefix));
}

async function isServed(client: Client, object: ManifestObject): Promise<boolean> {
  try {
    await client.mapper.kindFor(object);
    return true;
  } catch (error) {
    if ((error as { isNoKindMatch?: boolean }).isNoKindMatch) return false;
    throw error;
  }
}

/** Applies a CRD. If its scope or kind changed, which no update can do, it is deleted first. */
async function applyDefinition(
  client: Client,
  crd: ManifestObject,
  onReplaced: DevPlace["onReplaced"],
): Promise<void> {
  try {
    await applyObjects(client, [crd]);
  } catch (error) {
    if (!onReplaced || !isScopeOrKindChange((error as Error).cause)) throw error;
    await deleteDefinition(client, crd);
    await applyObjects(client, [crd]);
    onReplaced(crd.metadata.name);
  }
}

/** The time in milliseconds that the operator may take to finalize the objects of a CRD. */
const finalizeTimeout = 10_000;
const checkInterval = 50;

async function deleteDefinition(client: Client, crd: ManifestObject): Promise<void> {
  const kind = await client.mapper.kindFor(crd);
  const { name } = crd.metadata;
  await client.delete(kind, { name });
  for (let waited = 0; await client.find(kind, { name }); waited += checkInterval) {
    if (waited >= finalizeTimeout) {
      const failure = `could not replace the CRD "${name}", whose scope or kind changed: objects with finalizers remain`;
      const hint = `remove their finalizers: kubectl edit ${name} --all-namespaces; then save again`;
      throw new TsbuilderError(failure, { code: "REFUSED", hint });
    }
    await sleep(checkInterval);
  }
  client.mapper.reset();
}

interface Reference {
  readonly kind: string;
  readonly name: string;
}

/** The namespaced kinds in `config/rbac`. */
const namespacedKinds = new Set(["ServiceAccount", "Role", "RoleBinding"]);

/**
 * Adapts the project's RBAC to a cluster: everything namespaced goes to one namespace, names get a prefix, and bindings
 * follow both. kustomize could do the same, but `dev` requires nothing but Node.
 */
export function placeRbac(
  objects: readonly ManifestObject[],
  { namespace, prefix = "" }: ObjectPlace,
): ManifestObject[] {
  const projectObjects = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  const rename = <R extends Reference>(reference: R): R =>
    projectObjects.has(`${reference.kind}/${reference.name}`)
      ? { ...reference, name: `${prefix}${reference.name}` }
      : reference;
  return objects.map((object) => {
    const { subjects, roleRef } = object as { subjects?: Reference[]; roleRef?: Reference };
    const metadata = { ...object.metadata, name: `${prefix}${object.metadata.name}` };
    return {
      ...object,
      metadata: namespacedKinds.has(object.kind) ? { ...metadata, namespace } : metadata,
      ...(roleRef && { roleRef: rename(roleRef) }),
      ...(subjects && {
        subjects: subjects.map((subject) =>
          subject.kind === "ServiceAccount" ? { ...rename(subject), namespace } : subject,
        ),
      }),
    };
  });
}

/** Makes a CRD with several versions convert through the process on this machine. */
export function localConversion(crd: ManifestObject, local: LocalWebhooks): ManifestObject {
  const spec = crd["spec"] as { conversion?: { webhook?: { clientConfig?: ClientConfig } } };
  const path = spec.conversion?.webhook?.clientConfig?.service?.path ?? "/convert";
  return {
    ...crd,
    spec: {
      ...spec,
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${local.url}${path}`, caBundle: local.caBundle },
        },
      },
    },
  };
}

interface ClientConfig {
  readonly service?: { readonly path?: string };
}

/** Points webhook configurations at the process on this machine, by URL instead of by Service. */
export function localWebhooks(
  objects: readonly ManifestObject[],
  local: LocalWebhooks,
  prefix = "",
): ManifestObject[] {
  return objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: `${prefix}${object.metadata.name}` },
    webhooks: ((object["webhooks"] ?? []) as { clientConfig: ClientConfig }[]).map((webhook) => ({
      ...webhook,
      clientConfig: localClientConfig(webhook.clientConfig, local),
    })),
  }));
}

/** A webhook that is reached by a URL is none of this operator. */
function localClientConfig(config: ClientConfig, { url, caBundle }: LocalWebhooks): object {
  return config.service ? { url: `${url}${config.service.path ?? ""}`, caBundle } : config;
}

/** Deletes the applied objects in reverse order, and applies the CRDs without the conversion through this machine. */
export async function deleteApplied(
  { crds }: Manifests,
  client: Client,
  { webhooks }: DevPlace,
  applied: AppliedObjects,
): Promise<void> {
  for (const [key, object] of [...applied].toReversed()) {
    const { namespace, name } = object.metadata;
    try {
      await client.delete(await client.mapper.kindFor(object), { namespace, name }).catch(ignoreNotFound);
    } catch (error) {
      throw explainLeftover(error, [...applied.values()]);
    }
    applied.delete(key);
  }
  if (webhooks) await applyObjects(client, crds);
}

/** Applies the project's samples; those that name no namespace, in the given one. Returns their number. */
export async function applySamples(project: string, client: Client, namespace: string): Promise<number> {
  const files = readConfigFiles(project, "config/samples");
  const samples = files.flatMap(({ file, objects }) => objects.map((object) => ({ file, object })));
  for (const { file, object } of samples) {
    const sample = { ...object, metadata: { namespace, ...object.metadata } };
    // A server cannot prune fields that one manager applied in several API versions, so each version has its own.
    const version = sample.apiVersion.split("/").at(-1)!;
    await applyObjects(client, [sample], { fieldManager: `${devFieldManager}-${version}`, file });
  }
  return samples.length;
}

/** The field manager of everything that dev applies. */
const devFieldManager = "tsbuilder-dev";

interface ApplyOptions {
  readonly fieldManager?: string;
  /** The file in which a person wrote the objects, for hints. */
  readonly file?: string;
}

/** Applies objects one after the other. Throws the explained rejection of the first that the cluster refuses. */
async function applyObjects(
  client: Client,
  objects: readonly ManifestObject[],
  { fieldManager = devFieldManager, file }: ApplyOptions = {},
): Promise<void> {
  for (const object of objects) {
    try {
      await applyObject(client, object, fieldManager);
    } catch (error) {
      throw explainRejection(error, object, file);
    }
  }
}

async function applyObject(client: Client, object: ManifestObject, fieldManager: string): Promise<void> {
  const kind = await client.mapper.kindFor(object);
  const { namespace, ...metadata } = object.metadata;
  const placed = kind.scope === "Namespaced" ? { ...metadata, namespace: namespace ?? "default" } : metadata;
  await client.apply(kind, { ...object, metadata: placed }, { fieldManager });
}

function ignoreNotFound(error: unknown): void {
  if (!(error as { isNotFound?: boolean }).isNotFound) throw error;
}
