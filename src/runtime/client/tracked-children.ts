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
): Promise<Stored<T, Key>[]> {
  try {
    const objects = await client.list(kind);
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
  for (const { kind, live } of kinds) {
    try {
      if (!(await deleteTrackedOf(client, kind, owner, live))) isGone = false;
    } catch (error) {
      // A kind whose CRD is gone has no objects, though the cache may have missed their end.
      if (!(error instanceof ApiError && error.isNotFound)) throw error;
    }
  }
  // The end of an object causes the next cleanup; this one is for an end that was missed.
  return isGone ? undefined : { requeueAfter: "30s" };
}

/** Deletes the tracked objects of a kind. Returns whether there were none. */
async function deleteTrackedOf(client: Client, kind: Kind, owner: Owner, live: boolean): Promise<boolean> {
  const labels = { [trackingName(owner)]: owner.metadata.uid };
  const stored = live ? await client.list(kind, { labels, live }) : [];
  const found = [...(await client.list(kind)), ...stored].filter((object) => isTrackedBy(owner, object));
  const objects = new Map(found.map((object) => [object.metadata.uid, object]));
  for (const object of objects.values()) {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) continue;
    await client.delete(kind, object, { preconditions: { uid }, propagationPolicy: "Background" });
  }
  return objects.size === 0;
}

/** The cleanup of an owner; returns when to look again, undefined if nothing is left. */
type TrackingCleanup = (owner: Owner) => Promise<{ requeueAfter: Duration } | undefined>;

/** The cleanups of the controllers that share a finalizer, and which of them are done with an owner, by its uid. */
interface SharedFinalizer {
  readonly cleanups: Set<TrackingCleanup>;
  readonly done: Map<string, Set<TrackingCleanup>>;
}

/** By the cache of their cluster, which its controllers share, and by finalizer. */
const sharedFinalizers = new WeakMap<object, Map<string, SharedFinalizer>>();

/**
 * Returns the cleanup of a controller whose owners have tracked children. Controllers of one kind share its finalizer,
 * which remains until each of them has deleted what it made.
 */
export function shareTrackingCleanup(
  cache: object,
  finalizer: string,
  cleanup: TrackingCleanup,
): TrackingCleanup {
  const byFinalizer = sharedFinalizers.get(cache) ?? new Map<string, SharedFinalizer>();
  sharedFinalizers.set(cache, byFinalizer);
  const shared = byFinalizer.get(finalizer) ?? { cleanups: new Set(), done: new Map() };
  byFinalizer.set(finalizer, shared);
  shared.cleanups.add(cleanup);
  return async (owner) => {
    const wait = await cleanup(owner);
    if (wait) return wait;
    const { uid } = owner.metadata;
    const done = (shared.done.get(uid) ?? new Set()).add(cleanup);
    shared.done.set(uid, done);
    // The last one removes the finalizer.
    if (done.size < shared.cleanups.size) return { requeueAfter: "30s" };
    shared.done.delete(uid);
    return undefined;
  };
}
