// Children that an owner reference can't reach: of a namespaced owner, in another namespace or in none. The garbage
// collector would take such a reference for one to an owner that doesn't exist, and delete the child. So a label has the
// owner's uid, by which the server finds its children in all namespaces, an annotation has its key, which a watch needs,
// and a finalizer of the owner deletes them. Either of the two suffices: somebody may overwrite the other by hand.

import {
  type Duration,
  type Kind,
  type KubernetesObject,
  parseApiVersion,
} from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";
import {
  type Client,
  type Desired,
  type ListOptions,
  type ObjectKey,
  type NamespacedName,
  type Owner,
  type Stored,
  formatKey,
  keyOf,
} from "./client.ts";

/** The kind of an owner, as objects and kinds have it. */
type OwnerKind = Pick<Owner, "apiVersion" | "kind">;

/** Returns the name of the label that has the owner's uid, and of the annotation that has its key. */
export function trackingName({ apiVersion, kind }: OwnerKind): string {
  return `${qualifiedKind(apiVersion, kind)}/owner`;
}

/** Returns the name of the finalizer of an owner whose children are tracked. */
export function trackingFinalizer({ apiVersion, kind }: OwnerKind): string {
  return `${qualifiedKind(apiVersion, kind)}/children`;
}

/** `mysql.apps.example.com`; of the core group, the kind alone. */
function qualifiedKind(apiVersion: string, kind: string): string {
  const { group } = parseApiVersion(apiVersion);
  return group === "" ? kind.toLowerCase() : `${kind.toLowerCase()}.${group}`;
}

/** Returns true if an object in this namespace, or of the cluster, can't have a reference to the owner. */
export function isBeyond(owner: Owner, namespace: string | undefined): boolean {
  return Boolean(owner.metadata.namespace) && owner.metadata.namespace !== namespace;
}

/** Returns true if the owner tracks the object. One with a controller has its labels from there, like EndpointSlices. */
export function isTrackedBy(owner: Owner, { metadata }: KubernetesObject): boolean {
  const { labels, annotations, ownerReferences = [] } = metadata;
  if (ownerReferences.some(({ controller }) => controller)) return false;
  const name = trackingName(owner);
  return labels?.[name] === owner.metadata.uid || annotations?.[name] === formatKey(keyOf(owner));
}

/** Returns the metadata that tracks a child. */
export function trackingMetadata(
  owner: Owner,
  metadata: Desired<KubernetesObject>["metadata"],
): Desired<KubernetesObject>["metadata"] {
  const name = trackingName(owner);
  return {
    ...metadata,
    labels: { ...metadata.labels, [name]: owner.metadata.uid },
    annotations: { ...metadata.annotations, [name]: formatKey(owner.metadata) },
  };
}

/** Returns the key of the owner that tracks an object; undefined if none of this kind does. */
export function trackingOwnerOf(kind: OwnerKind, { metadata }: KubernetesObject): NamespacedName | undefined {
  const [namespace, name] = metadata.annotations?.[trackingName(kind)]?.split("/") ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

/** Lists the children of a kind that an owner tracks. */
export async function listTracked<T extends KubernetesObject, Key extends ObjectKey>(
  client: Client,
  kind: Kind<T, Key>,
  owner: Owner,
  options: ListOptions<Key> = {},
): Promise<Stored<T, Key>[]> {
  try {
    const objects = await client.list(kind, options);
    return objects.filter((object) => isTrackedBy(owner, object));
  } catch (error) {
    // A kind whose CRD is gone has no objects.
    if (error instanceof ApiError && error.isNotFound) return [];
    throw error;
  }
}

/**
 * Deletes what an owner tracks, for its finalizer. Returns when to look again; undefined if nothing is left. The cache
 * has objects whose label was overwritten. Kinds whose objects may be listed in all namespaces are also read from the
 * server: the cache of a new leader may not have what the former one made last.
 */
export async function deleteTracked(
  client: Client,
  kinds: readonly { readonly kind: Kind; readonly live: boolean }[],
  owner: Owner,
): Promise<{ requeueAfter: Duration } | undefined> {
  let isGone = true;
  const labels = { [trackingName(owner)]: owner.metadata.uid };
  for (const { kind, live } of kinds) {
    const stored = live ? await listTracked(client, kind, owner, { labels, live }) : [];
    const cached = await listTracked(client, kind, owner);
    for (const object of new Map([...cached, ...stored].map((one) => [one.metadata.uid, one])).values()) {
      isGone = false;
      const { uid, deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) continue;
      const options = { preconditions: { uid }, propagationPolicy: "Background" } as const;
      await client.delete(kind, object, options);
    }
  }
  // The end of an object causes the next cleanup; this one is for an end that was missed.
  return isGone ? undefined : { requeueAfter: "30s" };
}
