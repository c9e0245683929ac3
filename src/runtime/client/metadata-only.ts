import type { Kind, KubernetesObject, ObjectKey } from "@tsbuilder/apimachinery/meta";

/** By kind, its view: equal calls must return the same kind, because caches look kinds up. */
const views = new WeakMap<Kind, Kind>();
const metadataOnlyKinds = new WeakSet<Kind>();

/**
 * Returns a view of a kind: the same objects without spec and status, which take a fraction of the memory. Their
 * `kind` is `PartialObjectMetadata`, as in the response.
 */
export function metadataOnly<Key extends ObjectKey>(
  kind: Kind<KubernetesObject, Key>,
): Kind<KubernetesObject, Key> {
  const existing = views.get(kind);
  if (existing) return existing as Kind<KubernetesObject, Key>;
  const view: Kind<KubernetesObject, Key> = Object.freeze({ ...kind });
  views.set(kind, view);
  metadataOnlyKinds.add(view);
  return view;
}

/** Returns true for a kind that `metadataOnly` returned. */
export function isMetadataOnly(kind: Kind): boolean {
  return metadataOnlyKinds.has(kind);
}

/** Returns the Accept header for a kind from `metadataOnly`; none for others. */
export function acceptOf(
  kind: Kind,
  as: "PartialObjectMetadata" | "PartialObjectMetadataList",
): { accept?: string } {
  if (!metadataOnlyKinds.has(kind)) return {};
  return { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` };
}

const ids = new WeakMap<Kind, string>();

/** Returns a key for a kind, another one for its view. Cached, since each read and write calls it several times. */
export function idOf(kind: Kind): string {
  let id = ids.get(kind);
  if (id === undefined) {
    id = `${kind.apiVersion}/${kind.kind}${isMetadataOnly(kind) ? "#metadata" : ""}`;
    ids.set(kind, id);
  }
  return id;
}
