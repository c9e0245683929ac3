import { isObject, type JSONValue } from "../../json/index.ts";
import type { SchemaNode } from "../schema-node.ts";

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

/**
 * Returns the shape of a value by its schema. Without a schema, objects are owned member by member, lists as a whole.
 */
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
