import { count } from "../shared/text.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import { isCrd, type ManifestObject } from "./manifest.ts";
import { splitByKind } from "./served-kinds.ts";

/** What an undeploy deletes, and what it keeps because it contains data of others. */
export interface UndeployPlan {
  readonly remove: readonly ManifestObject[];
  readonly keep: readonly KeptObject[];
}

/** An object whose deletion also deletes what it contains, which is more than was deployed. */
export interface KeptObject {
  readonly object: ManifestObject;
  /** `it still has 3 objects` */
  readonly reason: string;
}

/** Plans an undeploy; CRDs with objects and namespaces with objects of others are kept unless `force`. */
export async function planUndeploy(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<UndeployPlan> {
  // Objects of an unknown kind cannot exist, and kubectl would fail on all objects because of them.
  const { known } = await splitByKind(objects, choice);
  if (force) return { remove: known, keep: [] };
  const reasons = await Promise.all(known.map((object) => reasonToKeep(object, objects, choice)));
  const keep = known.flatMap((object, index) =>
    reasons[index] === undefined ? [] : [{ object, reason: reasons[index] }],
  );
  return { remove: known.filter((_, index) => reasons[index] === undefined), keep };
}

async function reasonToKeep(
  object: ManifestObject,
  deployed: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<string | undefined> {
  if (isCrd(object)) {
    const objects = await countObjects(object, choice);
    return objects > 0 ? `it still has ${count(objects, "object")}` : undefined;
  }
  if (object.kind !== "Namespace") return undefined;
  const strangers = await countStrangers(object.metadata.name, deployed, choice);
  return strangers > 0 ? `it contains ${count(strangers, "object")} of others` : undefined;
}

async function countObjects({ metadata }: ManifestObject, choice: ClusterChoice): Promise<number> {
  const present = await readJson(choice, ["get", "customresourcedefinition", metadata.name]);
  if (!present) return 0;
  const list = await readJson<{ items: unknown[] }>(choice, ["get", metadata.name, "--all-namespaces"]);
  return list?.items.length ?? 0;
}

/** Objects that somebody would miss; those with an owner come and go with it. */
const missed = [
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "services",
  "persistentvolumeclaims",
] as const;

interface OwnedObject extends ManifestObject {
  readonly metadata: ManifestObject["metadata"] & { readonly ownerReferences?: readonly unknown[] };
}

async function countStrangers(
  namespace: string,
  deployed: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<number> {
  const list = await readJson<{ items: OwnedObject[] }>(choice, [
    "get",
    missed.join(","),
    "--namespace",
    namespace,
  ]);
  const ours = new Set(deployed.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  return (list?.items ?? []).filter(
    ({ kind, metadata }) => !metadata.ownerReferences && !ours.has(`${kind}/${metadata.name}`),
  ).length;
}
