import { isEqual, isObject, type JSONObject } from "../json/index.ts";
import { type JSONSchema, itemsOf, memberSchema } from "./json-schema.ts";
import { indexListMap } from "./list-map.ts";

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

function isUnchangedObject(
  schema: JSONSchema,
  value: JSONObject<unknown>,
  old: JSONObject<unknown>,
): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const child = memberSchema(schema, key);
    return child !== undefined && Object.hasOwn(old, key) && isUnchanged(child, value[key], old[key]);
  });
}
