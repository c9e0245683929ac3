import { isObject, type JSONObject, type JSONValue, memberOf } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";

/** Returns true if an item of a list map or set has a path element. */
export function hasElement(item: JSONValue, keys: readonly string[], items: SchemaNode | undefined): boolean {
  if (keys.length === 0) return isScalar(item);
  return isObject(item) && keys.some((key) => keyOf(item, key, items) !== undefined);
}

/**
 * Returns the path element of an item of a list map or set; `undefined` if the item has no key.
 * A key that the item omits has its default: a port without a protocol is a TCP port. Null is a value of a key, but not
 * of a set.
 */
export function itemElement(
  item: JSONValue,
  keys: readonly string[],
  items: SchemaNode | undefined,
): PathElement | undefined {
  if (keys.length === 0) return isScalar(item) ? valueElement(item) : undefined;
  if (!isObject(item)) return undefined;
  const found: JSONObject = {};
  for (const key of keys) {
    const value = keyOf(item, key, items);
    if (value !== undefined) found[key] = value;
  }
  return Object.keys(found).length === 0 ? undefined : keyElement(found);
}

function keyOf(item: JSONObject, key: string, items: SchemaNode | undefined): JSONValue | undefined {
  const stated = memberOf(item, key);
  return (stated === undefined ? defaultOf(items, key) : stated) as JSONValue | undefined;
}

/** A required key of a built-in type has its zero value if it is omitted; those of custom resources have no defaults. */
function defaultOf(items: SchemaNode | undefined, key: string): unknown {
  const node = items?.properties?.[key];
  if (node?.default !== undefined) return node.default;
  if (!items?.typeName || !items.required?.includes(key)) return undefined;
  return node?.type === "string" ? "" : node?.type === "integer" ? 0 : undefined;
}

/** Groups the items of a list by path element, in the order of their first occurrence. */
export function groupItems(
  list: readonly JSONValue[],
  keys: readonly string[],
  items: SchemaNode | undefined,
): Map<PathElement, JSONValue[]> {
  const groups = new Map<PathElement, JSONValue[]>();
  for (const item of list) {
    const element = itemElement(item, keys, items);
    if (element === undefined) continue;
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

function isScalar(value: JSONValue): boolean {
  return typeof value !== "object";
}
