import { isEqual, isObject, type JSONObject, type JSONValue } from "../../json/index.ts";
import type { ManagedFieldsEntry } from "../../meta/index.ts";
import { parseTime } from "../../time/index.ts";
import { decodeManagedFields, encodeManagedFields, type Managers } from "./managers.ts";

/** Returns the managers of an object; empty if they can't be decoded. */
export function managersOf(object: JSONObject | undefined): Managers {
  return decodeManagedFields(entriesOf(object)) ?? new Map();
}

/**
 * Returns the managers before an update. The list in the request counts, so that clients may edit it; if it is missing
 * or invalid, the stored list counts, so that old clients don't erase it. An empty list, or one empty entry, resets it.
 * Subresources ignore the list in the request.
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

/** Returns the object with other managers; without `managedFields` if there are none. */
export function withManagers(object: JSONObject, managers: Managers): JSONObject {
  const { managedFields: _, ...metadata } = isObject(object["metadata"]) ? object["metadata"] : {};
  const entries = encodeManagedFields(managers);
  const managed = entries.length === 0 ? {} : { managedFields: entries as unknown as JSONObject[] };
  return { ...object, metadata: { ...metadata, ...managed } };
}

/** Returns the `managedFields` of an object. */
export function entriesOf(object: JSONObject | undefined): ManagedFieldsEntry[] | undefined {
  const metadata = object?.["metadata"];
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) ? entries.filter((entry): entry is JSONObject => isObject(entry)) : undefined;
}

/** Returns whether an object has a list of managers; a list that Go can't decode counts as none. */
export function hasManagers({ metadata }: JSONObject): boolean {
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) && entries.every((entry) => isObject(entry) && isDecodable(entry));
}

const texts = ["manager", "operation", "apiVersion", "fieldsType", "subresource"];

function isDecodable(entry: JSONObject): boolean {
  const isText = (value: JSONValue): boolean => value === null || typeof value === "string";
  const { time = null } = entry;
  return texts.every((name) => isText(entry[name] ?? null)) && (time === null || isTime(time));
}

function isTime(value: JSONValue): boolean {
  try {
    return typeof value === "string" && !Number.isNaN(parseTime(value));
  } catch {
    return false;
  }
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (!entries) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0]!).length === 0);
}
