import type { Kind } from "@tsbuilder/apimachinery/meta";
import { isMetadataOnly } from "../client/metadata-only.ts";

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
