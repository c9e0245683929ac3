// Children that an owner reference can't reach: of a namespaced owner, in another namespace or in none. The garbage
// collector would take such a reference for one to an owner that doesn't exist, and delete the child. So a label has the
// owner's uid, by which the server finds its children in all namespaces, an annotation has its key, which a watch needs,
// and a finalizer of the owner deletes them. Either of the two suffices: somebody may overwrite the other by hand.

import {
  type Duration,
  findController,
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

/** Returns true if the owner controls the object, or tracks it. */
export function isOwnedBy(owner: Owner, object: KubernetesObject): boolean {
  return findController(object)?.uid === owner.metadata.uid || isTrackedBy(owner, object);
}

/** Returns what identifies the owner of an object: one of these values is among `ownerValues` of its owner. */
export function ownerValuesIn(object: KubernetesObject): string[] {
  const controller = findController(object);
  if (controller) return [controller.uid];
  const { labels = {}, annotations = {} } = object.metadata;
  return [...Object.entries(labels), ...Object.entries(annotations)].flatMap(([name, value]) =>
    name.endsWith("/owner") ? value : [],
  );
}

/** Returns the values by which an owner finds its objects; others may have one of them, too. */
export function ownerValues({ metadata }: Owner): readonly string[] {
  return [metadata.uid, formatKey(metadata)];
}

/** Returns true if the owner tracks the object. One with a controller has its labels from there, like EndpointSlices. */
export function isTrackedBy(owner: Owner, object: KubernetesObject): boolean {
  if (findController(object)) return false;
  const { labels, annotations } = object.metadata;
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

/** A kind of which objects are tracked, and the namespaces in which it may be listed; undefined stands for all. */
interface TrackedKind {
  readonly kind: Kind;
  readonly namespaces: readonly (string | undefined)[];
}

/**
 * Deletes what an owner tracks, for its finalizer. Returns when to look again; undefined if nothing is left. Throws the
 * first refusal of the API server when the rest is deleted.
 */
export async function deleteTracked(
  client: Client,
  kinds: readonly TrackedKind[],
  owner: Owner,
): Promise<{ requeueAfter: Duration } | undefined> {
  let isGone = true;
  const errors: ApiError[] = [];
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ApiError) || isAboutServer(error)) throw error;
      // A kind whose CRD is gone has no objects, though the cache may have missed their end.
      if (!error.isNotFound) errors.push(error);
    }
  };
  for (const tracked of kinds)
    await attempt(async () => {
      for (const object of await listTracked(client, tracked, owner))
        await attempt(async () => {
          const { uid, deletionTimestamp } = object.metadata;
          const options = { preconditions: { uid }, propagationPolicy: "Background" } as const;
          if (deletionTimestamp === undefined) await client.delete(tracked.kind, object, options);
          isGone = false;
        });
    });
  for (const error of errors) throw error;
  // The end of an object causes the next cleanup; this one is for an end that was missed.
  return isGone ? undefined : { requeueAfter: "30s" };
}

/** Returns true if the next request would fail as well, and as late. */
function isAboutServer(error: ApiError): boolean {
  const isBusy = error.isTooManyRequests || error.isServiceUnavailable;
  return isBusy || error.isTimeout || error.isUnreachable;
}

/**
 * Lists what an owner tracks. The cache has objects whose label was overwritten; that of a new leader may not have what
 * the former one made last, which the server has.
 */
async function listTracked(
  client: Client,
  { kind, namespaces }: TrackedKind,
  owner: Owner,
): Promise<Iterable<Stored<KubernetesObject, ObjectKey>>> {
  const labels = { [trackingName(owner)]: owner.metadata.uid };
  const found = await client.list(kind, { owner });
  for (const namespace of namespaces)
    found.push(...(await client.list(kind, { namespace, labels, live: true })));
  const tracked = found.filter((object) => isTrackedBy(owner, object));
  return new Map(tracked.map((object) => [object.metadata.uid, object])).values();
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
