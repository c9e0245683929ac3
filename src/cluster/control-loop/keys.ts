import { type KubernetesObject, findController } from "@tsbuilder/apimachinery/meta";
import type { ClusterObjects, ObjectEvent, ResourceName } from "../contract/cluster-objects.ts";

/** A key of a work queue: `namespace/name`; the namespace is empty for cluster-scoped objects. */
export function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Returns the object of a key; undefined if it is gone. */
export function findByKey<T extends KubernetesObject>(
  objects: ClusterObjects,
  resource: ResourceName<T>,
  key: string,
): T | undefined {
  const slash = key.indexOf("/");
  return objects.get(resource, key.slice(0, slash) || undefined, key.slice(slash + 1));
}

/**
 * The keys for an event of an owner or of one of its dependents: that of the owner. A dependent without a controller has
 * those of all owners in its namespace, as any of them may adopt it.
 */
export function keysOfOwner(
  objects: ClusterObjects,
  owners: ResourceName,
  kind: string,
  { resource, object }: ObjectEvent,
): string[] {
  if (resource === owners) return [keyOf(object)];
  const namespace = object.metadata.namespace ?? "";
  const controller = findController(object);
  if (controller) return controller.kind === kind ? [`${namespace}/${controller.name}`] : [];
  return objects.list(owners, namespace).map(keyOf);
}

/** The key of an object of any resource: `deployments.apps/default/web`. */
export type ObjectKey = string;

export function objectKey(resource: ResourceName, { metadata }: KubernetesObject): ObjectKey {
  return `${resource}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

export function readObject(objects: ClusterObjects, key: ObjectKey): KubernetesObject | undefined {
  const [resource, namespace, ...name] = key.split("/");
  return objects.get(resource!, namespace || undefined, name.join("/"));
}
