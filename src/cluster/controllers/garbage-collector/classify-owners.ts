import { type KubernetesObject, type OwnerReference, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ClusterObjects, ServedResource } from "../../contract/cluster-objects.ts";

/** The owners of an object by their state. */
export interface Owners {
  /** Existing, and not waiting for dependents. */
  readonly solid: readonly OwnerReference[];
  /** Deleted, or replaced by another object of the same name. */
  readonly absent: readonly OwnerReference[];
  /** Being deleted in the foreground, waiting for dependents such as this one. */
  readonly waiting: readonly OwnerReference[];
  /** Of a kind that is not served, so their state is unknown. */
  readonly unknown: readonly OwnerReference[];
  /** Invalid: a cluster-scoped object can't have a namespaced owner. */
  readonly invalid: readonly OwnerReference[];
}

/** Looks up the owners of an object. They are in the same namespace, or cluster-scoped. */
export function classifyOwners(objects: ClusterObjects, { metadata }: KubernetesObject): Owners {
  const owners = { solid: [], absent: [], waiting: [], unknown: [], invalid: [] } as Record<
    keyof Owners,
    OwnerReference[]
  >;
  for (const reference of metadata.ownerReferences ?? []) {
    owners[classify(objects, reference, metadata.namespace)].push(reference);
  }
  return owners;
}

/** Returns whether an object is being deleted in the foreground. */
export function isForegroundDeleted({ metadata }: KubernetesObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes("foregroundDeletion");
}

function classify(
  objects: ClusterObjects,
  reference: OwnerReference,
  namespace: string | undefined,
): keyof Owners {
  const resource = findResource(objects, reference);
  if (!resource) return "unknown";
  if (resource.namespaced && !namespace) return "invalid";
  const owner = objects.get(resource.resource, resource.namespaced ? namespace : undefined, reference.name);
  if (!owner || owner.metadata.uid !== reference.uid) return "absent";
  return isForegroundDeleted(owner) ? "waiting" : "solid";
}

/** Finds the resource of an owner; the version in the reference doesn't matter. */
export function findResource(
  objects: ClusterObjects,
  { apiVersion, kind }: OwnerReference,
): ServedResource | undefined {
  const { group } = parseApiVersion(apiVersion);
  return objects
    .resources()
    .find((served) => served.kind === kind && parseApiVersion(served.apiVersion).group === group);
}
