import { randomInt } from "node:crypto";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { OwnerReference } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./resource.ts";
import { StatusError } from "../contract/status-error.ts";

/** Removes metadata that only the server may set from a new object. Until 1.37, updates that create keep it. */
export function removeSystemMetadata({ metadata }: ApiObject): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Go's alphabet for generated names: without vowels and digits that look like them, so that no words appear. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Generates a name: up to 58 characters of the prefix, and five random ones, together at most the length of a label. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, 58);
  for (let index = 0; index < 5; index++) name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/** Copies metadata that an update can't change, or omits, from the stored object. Built-in kinds have no selfLink. */
export function carryOverMetadata(object: ApiObject, old: ApiObject, { resource, dryRun }: WriteRequest) {
  const { metadata } = object;
  const before = old.metadata;
  metadata.uid ||= before.uid!;
  metadata.creationTimestamp = before.creationTimestamp!;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  if (!resource.custom && !dryRun) delete metadata.selfLink;
}

/** The source of owner references: `client` before mutating admission, which does not check patches, `admission` after it. */
type OwnersSource = "client" | "admission";

/** Removes duplicate owner references, with a warning. */
export function removeDuplicateOwners(
  write: WriteRequest,
  { metadata }: ApiObject,
  source: OwnersSource,
): void {
  if (source === "client" && write.options["kind"] === "PatchOptions") return;
  const references = metadata.ownerReferences;
  if (!references || references.length < 2) return;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => isEqual(other, reference))) duplicates.push(reference.uid ?? "");
    else kept.push(reference);
  }
  if (duplicates.length === 0) return;
  const when = source === "admission" ? " after mutating admission happens" : "";
  write.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
  metadata.ownerReferences = kept;
}

/** Parses a resourceVersion; an absent one is 0. Throws Go's error. */
export function parseRevision(resourceVersion: string | null | undefined): bigint {
  const text = resourceVersion ?? "";
  const why = explainRevision(text);
  if (why !== undefined)
    throw new StatusError(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
  return BigInt(text);
}

/** Returns true if a resourceVersion is not an unsigned number of 64 bits. */
export function isUnreadable(text = ""): boolean {
  return explainRevision(text) !== undefined;
}

/** Returns why a text is not a resourceVersion, in Go's words. */
function explainRevision(text: string): string | undefined {
  if (!/^\d*$/.test(text)) return "invalid syntax";
  return BigInt(text) < 2n ** 64n ? undefined : "value out of range";
}
