import { isObject } from "../json/index.ts";
import type { FieldError } from "../errors/index.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import type { Shape } from "./shape.ts";

/** An object without its unknown fields, and the sorted paths of the dropped fields. */
export interface Pruned<T> {
  readonly object: T;
  /** `spec.foo`, `spec.list[0].bar`: as in the errors of strict decoding and in `Warning` headers. */
  readonly unknown: string[];
  /** Why the object can't be decoded: metadata of an embedded resource has a wrong type (status 400). */
  readonly malformed?: FieldError;
}

const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Drops unknown fields. A resource always keeps its apiVersion, kind and metadata. */
export function prune<T>(object: T, shape: Shape, isResource: boolean): Pruned<T> {
  const unknown: string[] = [];
  const root = isResource && !shape.embedded ? { ...shape, embedded: true } : shape;
  const pruned = pruneValue(object, root, "", unknown) as T;
  return { object: pruned, unknown: unknown.length > 1 ? unknown.sort() : unknown };
}

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
    if (!property && !shape?.takesAnyKey) {
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
    if (!property && !shape.takesAnyKey) return item;
    return pruneValue(item, property ?? shape.values, path === "" ? key : `${path}.${key}`, unknown);
  });
}
