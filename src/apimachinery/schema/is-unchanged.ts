import { type JSONObject, isEqual, isObject } from "../json/index.ts";
import { type JSONSchema, itemsOf, memberSchema } from "./json-schema.ts";

/**
 * Returns true if a value counts as unchanged for ratcheting. The order of list maps is ignored; objects with fields
 * that are not in the schema always count as changed.
 */
export function isUnchanged(schema: JSONSchema, value: unknown, old: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(old)) return isUnchangedList(schema, value, old);
  if (isObject(value) && isObject(old)) return isUnchangedObject(schema, value, old);
  return isEqual(value, old);
}

function isUnchangedList(schema: JSONSchema, value: unknown[], old: unknown[]): boolean {
  if (value.length !== old.length) return false;
  const items = itemsOf(schema);
  if (schema["x-kubernetes-list-type"] !== "map" || !items) return isEqual(value, old);
  const find = indexListMap(schema, old);
  return value.every((item) => {
    const oldItem = find(item);
    return oldItem !== undefined && isUnchanged(items, item, oldItem);
  });
}

/**
 * Indexes a list map by its keys and returns a function that finds the item with the same keys as another item.
 * Items without all keys can't be found; of several items with the same keys, the first is returned.
 */
export function indexListMap(schema: JSONSchema, list: readonly unknown[]): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const index = new Map<string, unknown>();
  for (const item of list) {
    const key = keyOf(item, keys);
    if (key !== undefined && !index.has(key)) index.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? undefined : index.get(key);
  };
}

function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item) || keys.length === 0) return undefined;
  const values: unknown[] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      return undefined;
    values.push(value);
  }
  return JSON.stringify(values);
}

function isUnchangedObject(schema: JSONSchema, value: JSONObject<unknown>, old: JSONObject<unknown>) {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const child = memberSchema(schema, key);
    return child !== undefined && Object.hasOwn(old, key) && isUnchanged(child, value[key], old[key]);
  });
}
