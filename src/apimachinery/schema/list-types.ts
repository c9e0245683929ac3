import { duplicate, type FieldError, invalid } from "./field-error.ts";
import { goJSON } from "./go-text.ts";
import { isObject, type JSONObject } from "./json.ts";
import { itemsOf, type JSONSchema, valuesOf } from "./json-schema.ts";

/** Reports items that are twice in a set, or have the same keys in a list map. */
export function checkListTypes(value: unknown, schema: JSONSchema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  check(value, schema, path, errors);
  return errors;
}

/** Tells whether a schema has any set or list map; most have none, and need no second pass. */
export function hasListTypes(schema: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const type = schema["x-kubernetes-list-type"];
  if (type === "set" || type === "map") return true;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  if (items && hasListTypes(items, seen)) return true;
  if (values && hasListTypes(values, seen)) return true;
  return Object.values(schema.properties ?? {}).some((child) => hasListTypes(child, seen));
}

function check(value: unknown, schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    checkList(value, schema, path, errors);
    return;
  }
  if (!isObject(value)) return;
  const values = valuesOf(schema);
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== "object" || item === null) continue;
    if (values) check(item, values, `${path}[${key}]`, errors);
    const property = schema.properties && Object.hasOwn(schema.properties, key) && schema.properties[key];
    if (property) check(item, property, path === "" ? key : `${path}.${key}`, errors);
  }
}

function checkList(list: unknown[], schema: JSONSchema, path: string, errors: FieldError[]): void {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      for (const index of repeated(list.map(identity))) {
        errors.push(duplicate(`${path}[${index}]`, list[index]));
      }
      break;
    case "map":
      checkListMap(list, schema["x-kubernetes-list-map-keys"] ?? [], path, errors);
      break;
    default:
  }
  const items = itemsOf(schema);
  if (items) list.forEach((item, index) => check(item, items, `${path}[${index}]`, errors));
}

function checkListMap(list: unknown[], keys: readonly string[], path: string, errors: FieldError[]): void {
  const strange = list.findIndex((item) => item !== null && !isObject(item));
  if (strange !== -1) {
    const detail = "must be an object for an array of list-type map";
    errors.push(invalid(`${path}[${strange}]`, list[strange], detail));
    return;
  }
  const chosen = list.map((item) => pick((item ?? {}) as JSONObject, keys));
  for (const index of repeated(chosen.map(goJSON))) {
    errors.push(duplicate(`${path}[${index}]`, chosen[index]));
  }
}

function pick(item: JSONObject, keys: readonly string[]): JSONObject {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

function identity(item: unknown): unknown {
  return typeof item === "object" && item !== null ? goJSON(item) + typeof item : item;
}

/** The index of the second appearance of each value that appears more than once; the third is not reported. */
function repeated(values: readonly unknown[]): number[] {
  const times = new Map<unknown, number>();
  const indices: number[] = [];
  values.forEach((value, index) => {
    const count = (times.get(value) ?? 0) + 1;
    times.set(value, count);
    if (count === 2) indices.push(index);
  });
  return indices;
}
