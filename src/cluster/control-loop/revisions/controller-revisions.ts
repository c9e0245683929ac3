import { type KubernetesObject, type LabelSelector, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { PodTemplateSpec } from "../api/core.ts";
import { claimDependents } from "../claim-dependents.ts";
import type { Writer } from "../controller.ts";
import type { ClusterObjects, ResourceName } from "../../contract/cluster-objects.ts";
import { templateHash } from "../pods/template-hash.ts";

/** A revision of a StatefulSet or DaemonSet; the API does not specify its data. */
export type ControllerRevision = Omit<apps.ControllerRevision, "data"> & {
  data: { spec: { template: PodTemplateSpec } };
};

export const controllerRevisions: ResourceName<ControllerRevision> = "controllerrevisions.apps";

/** The label with the revision of the template that a pod was created from. */
export const revisionLabel = "controller-revision-hash";

/** An owner that keeps the history of its template in ControllerRevisions. */
export interface RevisedOwner extends KubernetesObject {
  spec: { selector: LabelSelector; template: PodTemplateSpec; revisionHistoryLimit: number };
}

/** Lists the revisions of an owner, oldest first. */
export async function listRevisions(writer: Writer, owner: RevisedOwner): Promise<ControllerRevision[]> {
  const owned = await claimDependents(writer, owner, controllerRevisions);
  return owned.sort((a, b) => a.revision - b.revision);
}

/**
 * Finds or creates the revision of the owner's current template. A rollback makes the revision of the older template the
 * newest. Several revisions may hold one template, if an orphan is adopted after its replacement was created: the newest
 * of them counts.
 */
export async function ensureRevision(writer: Writer, owner: RevisedOwner): Promise<ControllerRevision> {
  const { objects, user } = writer;
  const revisions = await listRevisions(writer, owner);
  const data = sortedKeys({ spec: { template: { ...owner.spec.template, $patch: "replace" } } });
  const existing = revisions.findLast((revision) => isEqual(revision.data, data));
  const newest = revisions.at(-1);
  if (existing && existing === newest) return existing;
  const revision = (newest?.revision ?? 0) + 1;
  if (existing) return objects.update(user, { ...existing, revision });
  const hash = findFreeHash(objects, owner, data);
  return objects.create<ControllerRevision>(user, {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace!,
      labels: { ...owner.spec.template.metadata?.labels, [hashLabelOf(owner)]: hash },
      ...(owner.metadata.annotations ? { annotations: owner.metadata.annotations } : {}),
      ownerReferences: [ownerReferenceTo(owner)],
    },
    data,
    revision,
  });
}

/** The label that holds a revision's hash depends on the kind of its owner. */
function hashLabelOf({ kind }: RevisedOwner): string {
  return kind === "StatefulSet" ? "controller.kubernetes.io/hash" : revisionLabel;
}

/** The hash of a revision whose name is free: workloads of two kinds may have one name and one template. */
function findFreeHash(objects: ClusterObjects, { metadata }: RevisedOwner, data: unknown): string {
  for (let attempt = 0; ; attempt++) {
    const hash = templateHash(data, attempt);
    if (!objects.get(controllerRevisions, metadata.namespace, `${metadata.name}-${hash}`)) return hash;
  }
}

/** Deletes the oldest unused revisions beyond the owner's revisionHistoryLimit. */
export async function dropOldRevisions(
  writer: Writer,
  owner: RevisedOwner,
  inUse: ReadonlySet<string>,
): Promise<void> {
  const revisions = await listRevisions(writer, owner);
  const unused = revisions.filter(({ metadata }) => !inUse.has(metadata.name!));
  const surplus = Math.max(0, unused.length - owner.spec.revisionHistoryLimit);
  for (const revision of unused.slice(0, surplus)) await writer.objects.delete(writer.user, revision);
}

/** Sorts the keys of all objects in a value, as Go writes its maps. */
function sortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedKeys) as T;
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sortedKeys(value[key])])) as T;
}
