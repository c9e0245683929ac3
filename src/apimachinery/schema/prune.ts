import type { Pruned } from "./compiled-schema.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import { isObject } from "./json.ts";
import { itemsOf, type JSONSchema } from "./json-schema.ts";
import { memberSchema } from "./member-schema.ts";

const typeFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Drops the fields that a schema does not know. A resource keeps its type and metadata whatever the schema says. */
export function prune<T>(object: T, schema: JSONSchema, isResource: boolean): Pruned<T> {
  const unknown: string[] = [];
  const root = isResource ? { ...schema, "x-kubernetes-embedded-resource": true } : schema;
  const pruned = pruneValue(object, root, "", unknown) as T;
  return { object: pruned, unknown: unknown.sort() };
}

function pruneValue(
  value: unknown,
  schema: JSONSchema | undefined,
  path: string,
  unknown: string[],
): unknown {
  if (typeof value !== "object") return value;
  if (schema?.["x-kubernetes-preserve-unknown-fields"]) return preserve(value, schema, path, unknown);
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return mapList(value, (item, index) => pruneValue(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const embedded = schema?.["x-kubernetes-embedded-resource"] === true;
  return mapObject(value, (item, key) => {
    if (embedded && typeFields.has(key)) return item;
    const isKnown = knows(schema, key);
    if (isKnown && typeof item !== "object") return item;
    const at = path === "" ? key : `${path}.${key}`;
    if (isKnown) return pruneValue(item, memberSchema(schema!, key), at, unknown);
    unknown.push(at);
    return dropped;
  });
}

/** Where unknown fields are preserved, pruning starts again below what the schema describes; lists hand it on. */
function preserve(value: unknown, schema: JSONSchema, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return value;
    return mapList(value, (item, index) => preserve(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  return mapObject(value, (item, key) => {
    if (typeof item !== "object" || (embedded && typeFields.has(key)) || !knows(schema, key)) return item;
    return pruneValue(item, memberSchema(schema, key), path === "" ? key : `${path}.${key}`, unknown);
  });
}

/** `additionalProperties: true` keeps the keys of a map, but nothing inside its values. */
function knows(schema: JSONSchema | undefined, key: string): boolean {
  if (!schema) return false;
  if (schema.properties && Object.hasOwn(schema.properties, key)) return true;
  return schema.additionalProperties !== undefined;
}
