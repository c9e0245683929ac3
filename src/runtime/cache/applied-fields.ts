import { hash } from "node:crypto";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type JSONObject, type JSONValue, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** The part of an object's managed fields that a later apply needs. Hashes keep it small: caches hold many objects. */
export interface Ownership {
  /** A hash of the fields that our field manager applied, with their values; undefined if it applied none. */
  readonly applied: string | undefined;
  /** By field manager, a hash of the fields that it owns by apply, with their values if `isPartial`. */
  readonly owned: ReadonlyMap<string, string> | undefined;
  /** True if a transform may have dropped fields. */
  readonly isPartial: boolean;
}

/** The format of `fieldsV1`: `f:spec` is a field, `k:{"port":80}` and `v:"a"` are list items, `.` is the whole. */
type FieldSet = { readonly [element: string]: JSONValue };

/**
 * Reads the managed fields of an object. Call it before they are dropped, and before a transform drops other fields.
 * If a transform follows, pass `withValues`: hashes then cover values, too. Cheap for objects that were never applied.
 */
export function readOwnership(
  object: KubernetesObject,
  fieldManager: string | undefined,
  { withValues = false }: { readonly withValues?: boolean } = {},
): Ownership {
  const entries = object.metadata.managedFields?.filter(
    ({ operation, subresource }) => operation === "Apply" && !subresource,
  );
  if (!entries?.length) return { applied: undefined, owned: undefined, isPartial: withValues };
  const valueOf = (fields: FieldSet) => pickFields(object as unknown as JSONValue, fields);
  const ours = entries.find(({ manager }) => manager !== undefined && manager === fieldManager);
  const isOurs = ours?.fieldsV1 && ours.apiVersion === object.apiVersion;
  return {
    isPartial: withValues,
    applied: isOurs ? hashApplied(fieldManager!, valueOf(ours.fieldsV1!)) : undefined,
    owned: new Map(
      entries.map(({ manager = "", apiVersion, fieldsV1 }) => [
        manager,
        hashOf([apiVersion, fieldsV1, withValues ? valueOf(fieldsV1 ?? {}) : null]),
      ]),
    ),
  };
}

/** For each cached object, the fields that our field manager applied: all that is kept of `metadata.managedFields`. */
const applied = new WeakMap<KubernetesObject, string>();

/** Cached objects of which a transform may have dropped fields. */
const partial = new WeakSet<KubernetesObject>();

/** For each cached object, `Ownership.owned`. */
const owned = new WeakMap<KubernetesObject, ReadonlyMap<string, string>>();

/** Remembers the ownership of an object that is put into the cache. */
export function noteOwnership(object: KubernetesObject, ownership: Ownership): void {
  if (ownership.applied !== undefined) applied.set(object, ownership.applied);
  if (ownership.owned) owned.set(object, ownership.owned);
  if (ownership.isPartial) partial.add(object);
}

/** The hash of the fields of a cached object that a field manager owns by apply; undefined if it owns none. */
export function ownedFieldsHash(fieldManager: string, object: KubernetesObject): string | undefined {
  return owned.get(object)?.get(fieldManager);
}

/**
 * Returns true if this apply would change nothing: the same fields were applied before, perhaps by an earlier process,
 * and still have the same values. The server normalizes some values (`0.5` cores become `500m`). For those this returns
 * false, and an apply that changes nothing is sent once.
 */
export function isAppliedAlready(
  fieldManager: string,
  object: KubernetesObject,
  desired: KubernetesObject,
): boolean {
  const hash = applied.get(object);
  if (hash === undefined || hash !== hashApplied(fieldManager, withoutIdentity(desired))) return false;
  return partial.has(object) ? !JSON.stringify(desired).includes("[]") : hasEmptyLists(object, desired);
}

/** An item of a list. Items with a name are compared by name, others by position. */
type ListItem = { readonly name?: unknown } | null | undefined;

/** Returns true if the lists that are empty in `desired` are empty. The server drops those, so they have no owner. */
function hasEmptyLists(current: unknown, desired: unknown): boolean {
  if (typeof desired !== "object" || desired === null) return true;
  if (!Array.isArray(desired)) {
    const fields = (current ?? {}) as Readonly<Record<string, unknown>>;
    return Object.entries(desired).every(([field, inner]) => hasEmptyLists(fields[field], inner));
  }
  const items = (current ?? []) as readonly ListItem[];
  if (desired.length === 0) return items.length === 0;
  return (desired as readonly ListItem[]).every((item, at) => {
    const same = item?.name === undefined ? items[at] : items.find((other) => other?.name === item.name);
    return hasEmptyLists(same, item);
  });
}

/** Returns the part of a value that a field set names. An element without elements of its own means all of it. */
function pickFields(value: JSONValue | undefined, fields: FieldSet): JSONValue | undefined {
  if (typeof value !== "object" || value === null) return value;
  const elements = Object.keys(fields).filter((element) => element !== ".");
  if (elements.length === 0) return value;
  if (!Array.isArray(value)) {
    const picked: JSONObject<JSONValue | undefined> = {};
    for (const element of elements) {
      const name = element.slice("f:".length);
      setMember(picked, name, pickFields(value[name], fields[element] as FieldSet));
    }
    return picked as JSONValue;
  }
  const picked = elements.map((element) => {
    const index = value.findIndex(itemMatcher(element));
    return { index, item: pickFields(value[index], fields[element] as FieldSet) };
  });
  return picked.toSorted((a, b) => a.index - b.index).map(({ item = null }) => item);
}

/** Returns a test for the item that an element names by its keys or its value. An apply never names items by index. */
function itemMatcher(element: string): (item: JSONValue) => boolean {
  const name = JSON.parse(element.slice(2)) as JSONValue;
  if (element.startsWith("v:")) return (item) => item === name;
  const keys = Object.entries(name as FieldSet);
  return (item) => keys.every(([key, value]) => (item as FieldSet)[key] === value);
}

/** The desired object without the fields that identify it, which have no owner. */
function withoutIdentity(desired: KubernetesObject): object {
  const { apiVersion: _, kind: __, ...rest } = desired;
  const { name: _name, namespace: _namespace, ...metadata } = desired.metadata;
  return { ...rest, metadata: Object.keys(metadata).length > 0 ? metadata : undefined };
}

function hashApplied(fieldManager: string, value: unknown): string {
  return hashOf([fieldManager, normalize(value)]);
}

/** A short text that identifies a value. */
export function hashOf(value: unknown): string {
  return hash("sha1", JSON.stringify(value), "base64");
}

/** The same value with sorted fields, and without empty lists, which the server drops. */
function normalize(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalize);
  const normalized: JSONObject<unknown> = {};
  for (const field of Object.keys(value).sort(compareText))
    setMember(normalized, field, normalize((value as JSONObject<unknown>)[field]));
  return normalized;
}
