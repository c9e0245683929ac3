import { createHash } from "node:crypto";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { JSONValue } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** The part of an object's managed fields that a later apply needs. */
export interface Ownership {
  /**
   * The fields that our field manager owns by apply, with their current values, as a short text; undefined if it has
   * applied nothing.
   */
  readonly applied: string | undefined;
  readonly owned: ReadonlyMap<string, string> | undefined;
  /** True if a transform may have dropped fields. */
  readonly isPartial: boolean;
}

type Fields = { readonly [field: string]: JSONValue };

/**
 * Reads the managed fields of an object before they are dropped, and before a transform drops other fields: with
 * `withValues` the values of the owned fields count, too. Cheap for the many objects that were never applied.
 */
export function ownershipOf(
  object: KubernetesObject,
  fieldManager: string | undefined,
  { withValues = false }: { readonly withValues?: boolean } = {},
): Ownership {
  const entries = object.metadata.managedFields?.filter(
    ({ operation, subresource }) => operation === "Apply" && !subresource,
  );
  if (!entries?.length) return { applied: undefined, owned: undefined, isPartial: withValues };
  const valueOf = (fields: Fields) => pick(object as unknown as JSONValue, fields);
  const ours = entries.find(({ manager }) => manager !== undefined && manager === fieldManager);
  const isOurs = ours?.fieldsV1 && ours.apiVersion === object.apiVersion;
  return {
    isPartial: withValues,
    applied: isOurs ? digestOf(fieldManager!, valueOf(ours.fieldsV1!)) : undefined,
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

/** Caches the results of `ownedBy`: by object, a text for each field manager. */
const owned = new WeakMap<KubernetesObject, ReadonlyMap<string, string>>();

export function noteOwnership(object: KubernetesObject, ownership: Ownership): void {
  if (ownership.applied !== undefined) applied.set(object, ownership.applied);
  if (ownership.owned) owned.set(object, ownership.owned);
  if (ownership.isPartial) partial.add(object);
}

/**
 * A text for the fields of a cached object that a manager owns by apply, and for their values if a transform may hide
 * them; undefined if it owns none.
 */
export function ownedBy(fieldManager: string, object: KubernetesObject): string | undefined {
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
  const known = applied.get(object);
  if (known === undefined || known !== digestOf(fieldManager, withoutName(desired))) return false;
  return partial.has(object) ? !JSON.stringify(desired).includes("[]") : hasItsEmptyLists(object, desired);
}

/** An item of a list: it is found by its name, and without one by its place. */
type Named = { readonly name?: unknown } | null | undefined;

/**
 * Returns true if lists that should be empty are empty. The server doesn't keep empty lists, so managed fields can't
 * tell.
 */
function hasItsEmptyLists(current: unknown, desired: unknown): boolean {
  if (typeof desired !== "object" || desired === null) return true;
  if (!Array.isArray(desired)) {
    const fields = (current ?? {}) as Readonly<Record<string, unknown>>;
    return Object.entries(desired).every(([field, inner]) => hasItsEmptyLists(fields[field], inner));
  }
  const items = (current ?? []) as readonly Named[];
  if (desired.length === 0) return items.length === 0;
  return (desired as readonly Named[]).every((item, at) => {
    const same = item?.name === undefined ? items[at] : items.find((other) => other?.name === item.name);
    return hasItsEmptyLists(same, item);
  });
}

/** Returns the part of a value that the fields name. A field without subfields means the whole value. */
function pick(value: JSONValue | undefined, fields: Fields): JSONValue | undefined {
  const parts = Object.entries(fields).filter(([part]) => part !== ".");
  if (parts.length === 0 || typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      parts.map(([part, inner]) => [part.slice(2), pick(value[part.slice(2)], inner as Fields)]),
    ) as JSONValue;
  }
  const picked = parts.map(([part, inner]) => {
    const at = value.findIndex((item) => isNamed(item, part));
    return { at, item: pick(value[at], inner as Fields) };
  });
  return picked.toSorted((a, b) => a.at - b.at).map(({ item = null }) => item);
}

/** Items are named by their keys (`k:{"port":80}`), by value (`v:"a"`) or by index (never by apply). */
function isNamed(item: JSONValue, part: string): boolean {
  const name = JSON.parse(part.slice(2)) as JSONValue;
  if (part.startsWith("v:")) return item === name;
  return Object.entries(name as Fields).every(([key, value]) => (item as Fields)[key] === value);
}

/** The fields that identify an object have no owner. */
function withoutName(desired: KubernetesObject): object {
  const { apiVersion: _, kind: __, ...rest } = desired;
  const { name: _name, namespace: _namespace, ...metadata } = desired.metadata;
  return { ...rest, metadata: Object.keys(metadata).length > 0 ? metadata : undefined };
}

function digestOf(fieldManager: string, value: unknown): string {
  return hashOf([fieldManager, sorted(value)]);
}

/** A short text that identifies a value. */
export function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("base64");
}

/** The same value with sorted fields, and without empty lists, which the server doesn't keep. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(sorted);
  const fields = Object.entries(value).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(fields.map(([field, inner]) => [field, sorted(inner)]));
}
