import { type JSONObject, type JSONValue, isObject, memberOf } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";
import { type PathElement, keyElement, valueElement } from "./field-set.ts";

/**
 * How a value is owned: as a whole (`leaf`), member by member, or item by item.
 * Items of a list map are identified by their keys, those of a set by their value.
 */
export type Shape =
  | { readonly kind: "leaf" }
  | { readonly kind: "object" }
  | { readonly kind: "list"; readonly keys: readonly string[] };

const leaf: Shape = { kind: "leaf" };
const object: Shape = { kind: "object" };

/** Returns the shape of a value by its schema. Without a schema, objects are owned by members, lists as a whole. */
export function shapeOf(value: JSONValue | undefined, schema: SchemaNode | undefined): Shape {
  if (Array.isArray(value)) return listShape(schema);
  if (!isObject(value)) return leaf;
  return schema?.["x-kubernetes-map-type"] === "atomic" ? leaf : object;
}

/**
 * Returns the shapes of two states of a value: one if they are the same, else both. A null or absent value has the
 * shape of the other.
 */
export function shapesOf(
  a: JSONValue | undefined,
  b: JSONValue | undefined,
  schema: SchemaNode | undefined,
): readonly [Shape, Shape?] {
  if (a == null) return [shapeOf(b, schema)];
  if (b == null) return [shapeOf(a, schema)];
  const [first, second] = [shapeOf(a, schema), shapeOf(b, schema)];
  return first.kind === second.kind ? [first] : [first, second];
}

/** Returns true if a value has members or items. An empty object or list can be owned itself. */
export function hasContent(value: JSONValue | undefined, shape: Shape): boolean {
  if (shape.kind === "object") return isObject(value) && Object.keys(value).length > 0;
  return shape.kind === "list" && Array.isArray(value) && value.length > 0;
}

/** The list type (or for older kinds the patch strategy) decides whether items have keys. */
function listShape(schema: SchemaNode | undefined): Shape {
  switch (schema?.["x-kubernetes-list-type"]) {
    case "map":
      return { kind: "list", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    case "set":
      return { kind: "list", keys: [] };
    case undefined:
      return patchStrategyShape(schema);
    default:
      return leaf;
  }
}

function patchStrategyShape(schema: SchemaNode | undefined): Shape {
  if (!schema?.["x-kubernetes-patch-strategy"]?.split(",").includes("merge")) return leaf;
  const key = schema["x-kubernetes-patch-merge-key"];
  return { kind: "list", keys: key === undefined ? [] : [key] };
}

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
  const present: JSONObject = {};
  for (const key of keys) {
    const value = keyOf(item, key, items);
    if (value !== undefined) present[key] = value;
  }
  return Object.keys(present).length === 0 ? undefined : keyElement(present);
}

function keyOf(item: JSONObject, key: string, items: SchemaNode | undefined): JSONValue | undefined {
  const value = memberOf(item, key);
  return (value === undefined ? defaultOf(items, key) : value) as JSONValue | undefined;
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
