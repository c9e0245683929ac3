import { isEqual, isObject, type JSONObject } from "../../json/index.ts";
import type { ManagedFieldsEntry } from "../../meta/index.ts";
import { decodeManagedFields, encodeManagedFields, type Managers } from "./managers.ts";

/** Reads who manages an object; nobody, if that can't be read. */
export function managersOf(object: JSONObject | undefined): Managers {
  return decodeManagedFields(entriesOf(object)) ?? new Map();
}

/**
 * Finds the managers that an update starts from. The request's own list counts, so that a client may hand in an
 * edited one; a missing or unreadable one falls back to the stored list, so that old clients don't erase it.
 * An empty list, or one empty entry, clears it. A subresource never takes it from the request.
 */
export function managersForUpdate(
  live: JSONObject | undefined,
  next: JSONObject,
  subresource: string | undefined,
): Managers {
  if (subresource) return managersOf(live);
  const entries = entriesOf(next);
  if (isReset(entries)) return new Map();
  if (isEqual(entries, entriesOf(live))) return managersOf(live);
  const sent = managersOf(next);
  return sent.size > 0 ? sent : managersOf(live);
}

/** Returns the object with managers, or with none at all. */
export function withManagers(object: JSONObject, managers: Managers): JSONObject {
  const { managedFields: _, ...metadata } = isObject(object["metadata"]) ? object["metadata"] : {};
  const entries = encodeManagedFields(managers);
  const managed = entries.length === 0 ? {} : { managedFields: entries as unknown as JSONObject[] };
  return { ...object, metadata: { ...metadata, ...managed } };
}

/** The list of managers as it stands on an object. */
export function entriesOf(object: JSONObject | undefined): ManagedFieldsEntry[] | undefined {
  const metadata = object?.["metadata"];
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) ? entries.filter((entry): entry is JSONObject => isObject(entry)) : undefined;
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (!entries) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0]!).length === 0);
}
