import type { Kind } from "@tsbuilder/apimachinery/meta";

const metadataKinds = new WeakMap<Kind, Kind>();
const originals = new WeakMap<Kind, Kind>();

/**
 * The same objects without spec and status: read, listed, watched and cached for a fraction of the memory.
 * The objects' `kind` is `PartialObjectMetadata`, as the server answers it.
 */
export function metadataOnly(kind: Kind): Kind {
  const known = metadataKinds.get(kind);
  if (known) return known;
  const view: Kind = Object.freeze({ ...kind });
  metadataKinds.set(kind, view);
  originals.set(view, kind);
  return view;
}

/** Tells whether a kind was made by `metadataOnly`. */
export function isMetadataOnly(kind: Kind): boolean {
  return originals.has(kind);
}
