import { isObject } from "../json/index.ts";
import type { JSONSchema } from "./json-schema.ts";

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
