import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ClusterObjects, ResourceName } from "../../contract/cluster-objects.ts";

/** The key of any object: its resource, namespace and name. */
export type ObjectKey = string;

export function objectKey(resource: ResourceName, { metadata }: KubernetesObject): ObjectKey {
  return `${resource}/${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** Reads the object of a key. */
export function readObject(objects: ClusterObjects, key: ObjectKey): KubernetesObject | undefined {
  const [resource, namespace, ...name] = key.split("/");
  return objects.get(resource!, namespace || undefined, name.join("/"));
}
