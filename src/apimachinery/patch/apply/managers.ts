import { compareText } from "../../text/index.ts";
import type { ManagedFieldsEntry, Time } from "../../meta/index.ts";
import { type FieldSet, decodeFieldsV1, encodeFieldsV1, isEmptySet } from "./field-set.ts";
import { type JSONObject, type JSONValue, isEqual, isObject } from "../../json/index.ts";
import { parseTime } from "../../time/index.ts";

/** The identity of a field manager. An applier is the same manager in all versions; an updater is one per version. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** A manager with the fields that it owns, named as in its `apiVersion`. */
export interface FieldManager extends ManagerIdentity {
  readonly fields: FieldSet;
  readonly time?: Time | undefined;
}

/** The managers of an object, by key. */
export type Managers = ReadonlyMap<string, FieldManager>;

/** Returns the managers of an object; empty if they can't be decoded. */
export function managersOf(object: JSONObject | undefined): Managers {
  return decodeManagedFields(readEntries(object)) ?? new Map();
}

/** Returns the entries of `metadata.managedFields`; undefined if it is not a list. */
function readEntries(object: JSONObject | undefined): ManagedFieldsEntry[] | undefined {
  const metadata = object?.["metadata"];
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) ? entries.filter((entry): entry is JSONObject => isObject(entry)) : undefined;
}

/** Decodes `metadata.managedFields`; returns `undefined` if an entry is invalid. */
function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | undefined): Managers | undefined {
  const managers = new Map<string, FieldManager>();
  for (const entry of entries ?? []) {
    const manager = decodeEntry(entry);
    if (!manager) return undefined;
    managers.set(managerKey(manager), manager);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry): FieldManager | undefined {
  const { operation, apiVersion, subresource, time } = entry;
  const fields = decodeFieldsV1(entry.fieldsV1);
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (!apiVersion || entry.fieldsType !== "FieldsV1" || !fields) return undefined;
  return { manager: entry.manager ?? "", operation, apiVersion, subresource, time, fields };
}

/** Returns the key of a manager, which is equal for entries of the same manager. */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Apply" ? "" : apiVersion;
  return JSON.stringify([manager, operation, version, subresource ?? ""]);
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
  const entries = readEntries(next);
  if (isReset(entries)) return new Map();
  if (isEqual(entries, readEntries(live))) return managersOf(live);
  const requested = managersOf(next);
  return requested.size > 0 ? requested : managersOf(live);
}

function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (!entries) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0]!).length === 0);
}

/** Returns the object with other managers; without `managedFields` if there are none. */
export function withManagers(object: JSONObject, managers: Managers): JSONObject {
  const { managedFields: _, ...metadata } = isObject(object["metadata"]) ? object["metadata"] : {};
  const entries = encodeManagedFields(managers);
  const managed = entries.length === 0 ? {} : { managedFields: entries as unknown as JSONObject[] };
  return { ...object, metadata: { ...metadata, ...managed } };
}

/** Encodes managers as `metadata.managedFields`: appliers first, then by time, name and version. */
function encodeManagedFields(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareManagers).map((manager) => ({
    manager: manager.manager,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldsV1(manager.fields),
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  }));
}

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}

/** Returns the managers with other fields of one of them; without the manager if it has none. */
export function withFields(managers: Managers, key: string, fields: FieldSet): Managers {
  const next = new Map(managers);
  const manager = managers.get(key);
  if (isEmptySet(fields)) next.delete(key);
  else if (manager && manager.fields !== fields) next.set(key, { ...manager, fields });
  return next;
}

/** Returns true if an object has a list of managers, even one that is invalid. A list whose types Go can't decode counts as none. */
export function hasManagers({ metadata }: JSONObject): boolean {
  const entries = isObject(metadata) ? metadata["managedFields"] : undefined;
  return Array.isArray(entries) && entries.every((entry) => isObject(entry) && isDecodable(entry));
}

const textFields = ["manager", "operation", "apiVersion", "fieldsType", "subresource"];

function isDecodable(entry: JSONObject): boolean {
  const isText = (value: JSONValue): boolean => value === null || typeof value === "string";
  const { time = null } = entry;
  return textFields.every((name) => isText(entry[name] ?? null)) && (time === null || isTime(time));
}

function isTime(value: JSONValue): boolean {
  try {
    return typeof value === "string" && !Number.isNaN(parseTime(value));
  } catch {
    return false;
  }
}
