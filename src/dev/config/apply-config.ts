// The project's manifests in the cluster of a session. `applyConfig` adapts them to the cluster and to webhooks on this machine,
// and `explain-rejection` explains errors of the API server.

import { setTimeout as sleep } from "node:timers/promises";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { explainLeftover, explainRejection, isScopeOrKindChange } from "./explain-rejection.ts";
import { readYaml } from "../../shared/read-yaml.ts";

/** Where the operator's own objects are placed in the cluster, and how its webhooks are reached. */
export interface DevPlace extends ObjectPlace {
  readonly webhooks: LocalWebhooks | undefined;
  /** Receives each CRD that another scope or kind made dev replace, with its objects. If undefined, such CRDs are rejected. */
  readonly onReplaced?: ((name: string) => void) | undefined;
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
export async function applyConfig(
  project: string,
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
  const patched = new Set(readConfig(project, "config/crd/patches").map(({ metadata }) => metadata.name));
  const crds = readConfig(project, "config/crd/bases").map((crd) =>
    webhooks && patched.has(crd.metadata.name) ? localConversion(crd, webhooks) : crd,
  );
  for (const crd of crds) await applyDefinition(client, crd, onReplaced);
  await applyObjects(client, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }]);
  await applyAndRecord(placeRbac(readConfig(project, "config/rbac"), place));
  if (webhooks) await applyAndRecord(localWebhooks(readWebhooks(project), webhooks, place.prefix));
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
  const spec = crd["spec"] as { conversion?: { strategy?: string } };
  return {
    ...crd,
    spec: {
      ...spec,
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${local.url}/convert`, caBundle: local.caBundle },
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

function localClientConfig({ service }: ClientConfig, { url, caBundle }: LocalWebhooks): object {
  return { url: `${url}${service?.path ?? ""}`, caBundle };
}

function readWebhooks(project: string): ManifestObject[] {
  const kinds = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
  return readConfig(project, "config/webhook").filter(({ kind }) => kinds.includes(kind));
}

/** Deletes the applied objects in reverse order, and applies the CRDs without the conversion through this machine. */
export async function deleteApplied(
  project: string,
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
  if (webhooks) await applyObjects(client, readConfig(project, "config/crd/bases"));
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

/** Reads the objects in all YAML files of a folder in the project, except for kustomize's own files. */
function readConfig(project: string, folder: string): ManifestObject[] {
  return readConfigFiles(project, folder).flatMap(({ objects }) => objects);
}

/** Reads objects with the paths of their files: `config/samples/apps_v1_mysql.yaml`. */
function readConfigFiles(
  project: string,
  folder: string,
): { readonly file: string; readonly objects: readonly ManifestObject[] }[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith("kustom"))
    .toSorted()
    .map((name) => `${folder}/${name}`)
    .map((file) => ({ file, objects: readObjects(project, file) }));
}

function readObjects(project: string, file: string): ManifestObject[] {
  const ifInvalid = {
    code: "INVALID_SOURCE",
    hint: "fix the YAML; it is reloaded when you save it",
  } as const;
  return readYaml(file, readFileSync(join(project, file), "utf8"), ifInvalid).flatMap((value) => {
    const object = value as ManifestObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}

function ignoreNotFound(error: unknown): void {
  if (!(error as { isNotFound?: boolean }).isNotFound) throw error;
}
