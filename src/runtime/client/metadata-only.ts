import type { Kind } from "@tsbuilder/apimachinery/meta";

const metadataKinds = new WeakMap<Kind, Kind>();

const metadataOnlyKinds = new WeakSet<Kind>();

/**
 * The same objects without spec and status: read, listed, watched and cached with a fraction of the memory. Their
 * `kind` is `PartialObjectMetadata`, as in the response.
 */
export function metadataOnly(kind: Kind): Kind {
  const known = metadataKinds.get(kind);
  if (known) return known;
  const view: Kind = Object.freeze({ ...kind });
  metadataKinds.set(kind, view);
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

/** Identifies a kind and its view. Called several times for each read and write. */
export function idOf(kind: Kind): string {
  let id = ids.get(kind);
  if (id === undefined) {
    id = `${kind.apiVersion}/${kind.kind}${isMetadataOnly(kind) ? "#metadata" : ""}`;
    ids.set(kind, id);
  }
  return id;
}
