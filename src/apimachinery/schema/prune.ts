import { isObject } from "../json/index.ts";
import type { FieldError } from "../errors/index.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import { type JSONSchema, hasDefault, itemsOf, valuesOf } from "./json-schema.ts";

/** An object without its unknown fields, and the sorted paths of the dropped fields. */
export interface Pruned<T> {
  readonly object: T;
  /** `spec.foo`, `spec.list[0].bar`: as in the errors of strict decoding and in `Warning` headers. */
  readonly unknown: string[];
  /** Why the object can't be decoded: metadata of an embedded resource has a wrong type (status 400). */
  readonly malformed?: FieldError;
}

/** Drops unknown fields. A resource always keeps its apiVersion, kind and metadata. */
export function prune<T>(object: T, shape: Shape, isResource: boolean): Pruned<T> {
  const unknown: string[] = [];
  const root = isResource && !shape.embedded ? { ...shape, embedded: true } : shape;
  const pruned = pruneValue(object, root, "", unknown) as T;
  return { object: pruned, unknown: unknown.length > 1 ? unknown.sort() : unknown };
}

const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Drops the unknown fields of a value, and adds their paths to `unknown`. */
function pruneValue(value: unknown, shape: Shape | undefined, path: string, unknown: string[]): unknown {
  if (typeof value !== "object") return value;
  if (shape?.preserves) return preserve(value, shape, path, unknown);
  if (Array.isArray(value)) {
    if (typeof value[0] !== "object" && value.length === 1) return value;
    return mapList(value, (item, index) =>
      typeof item === "object" ? pruneValue(item, shape?.items, `${path}[${index}]`, unknown) : item,
    );
  }
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => {
    if (shape?.embedded && typeFields.has(key)) return item;
    const property = shape?.properties.get(key);
    if (!property && !shape?.allowsAnyKey) {
      unknown.push(path === "" ? key : `${path}.${key}`);
      return dropped;
    }
    if (typeof item !== "object") return item;
    return pruneValue(item, property ?? shape!.values, path === "" ? key : `${path}.${key}`, unknown);
  });
}

/** Below preserved unknown fields, pruning resumes at fields that are in the schema, also within lists. */
function preserve(value: unknown, shape: Shape, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = shape;
    if (!items) return value;
    return mapList(value, (item, index) => preserve(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => {
    if (typeof item !== "object" || (shape.embedded && typeFields.has(key))) return item;
    const property = shape.properties.get(key);
    // The content of a map with `additionalProperties: true` is dropped, too.
    if (!property && !shape.allowsAnyKey) return item;
    return pruneValue(item, property ?? shape.values, path === "" ? key : `${path}.${key}`, unknown);
  });
}

/** The parts of a schema that pruning and other walks need, with the properties in a map. */
export interface Shape {
  readonly schema: JSONSchema;
  readonly properties: ReadonlyMap<string, Shape>;
  readonly values: Shape | undefined;
  readonly items: Shape | undefined;
  readonly preserves: boolean;
  readonly embedded: boolean;
  /** Any key is kept, but its content may be pruned: `additionalProperties` is true or a schema. */
  readonly allowsAnyKey: boolean;
  /** The properties with a default; null counts as none. */
  readonly withDefault: readonly { readonly name: string; readonly property: JSONSchema }[];
}

/** Converts a schema to a shape; cyclic schemas become cyclic shapes. */
export function shapeOf(schema: JSONSchema, known = new Map<JSONSchema, Shape>()): Shape {
  const existing = known.get(schema);
  if (existing) return existing;
  const properties = new Map<string, Shape>();
  const shape = {
    schema,
    properties,
    values: undefined as Shape | undefined,
    items: undefined as Shape | undefined,
    preserves: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: schema["x-kubernetes-embedded-resource"] === true,
    allowsAnyKey: schema.additionalProperties !== undefined,
    withDefault: [] as { name: string; property: JSONSchema }[],
  };
  known.set(schema, shape);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    properties.set(name, shapeOf(child, known));
    if (hasDefault(child)) shape.withDefault.push({ name, property: child });
  }
  const values = valuesOf(schema);
  const items = itemsOf(schema);
  if (values) shape.values = shapeOf(values, known);
  if (items) shape.items = shapeOf(items, known);
  return shape;
}
