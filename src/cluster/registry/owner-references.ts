import { isEqual } from "@tsbuilder/apimachinery/json";
import type { OwnerReference } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./api-request.ts";

/** When duplicates are looked for: in what the client sent (not for patches), and after mutating admission. */
export type OwnersFrom = "client" | "admission";

/** Removes owner references that are there twice, with a warning. */
export function removeDuplicateOwners(write: WriteRequest, { metadata }: ApiObject, from: OwnersFrom): void {
  if (from === "client" && write.options["kind"] === "PatchOptions") return;
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => isEqual(other, reference))) duplicates.push(reference.uid ?? "");
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  const when = from === "admission" ? " after mutating admission happens" : "";
  write.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
  metadata.ownerReferences = kept;
}
