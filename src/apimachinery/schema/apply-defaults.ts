import { copyJSON, isObject, type JSONObject, setMember } from "../json/index.ts";
import { dropped, mapList, mapObject } from "./copy-on-write.ts";
import { type JSONSchema, hasDefault, itemsOf, memberSchema } from "./json-schema.ts";
import type { Shape } from "./shape.ts";

/** Returns true if a value contains null anywhere. It rarely does; otherwise there is nothing to drop. */
export function hasNull(value: unknown): boolean {
  if (typeof value !== "object") return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const key of Object.keys(value)) if (hasNull((value as JSONObject<unknown>)[key])) return true;
  return false;
}

/** Drops nulls of fields that are neither nullable nor have a default: clients send them for "not set". */
export function dropNulls(value: unknown, schema: JSONSchema | undefined): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return mapList(value, (item) => dropNulls(item, items));
  }
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => {
    if (typeof item !== "object") return item;
    const child = schema && memberSchema(schema, key);
    if (item === null) return child && !child.nullable && !hasDefault(child) ? dropped : item;
    return dropNulls(item, child);
  });
}

/** Applies the defaults of a schema; returns the value itself if no field was missing. */
export function applyDefaults(value: unknown, shape: Shape | undefined): unknown {
  if (!shape || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? mapList(value, (item) => applyDefaults(withoutNull(item, items), items)) : value;
  }
  return mapObject(fillIn(value as JSONObject<unknown>, shape), (item, key) => {
    const property = shape.properties.get(key);
    if (property) return applyDefaults(item, property);
    return shape.values ? applyDefaults(withoutNull(item, shape.values), shape.values) : item;
  });
}

/** Applies a node's default first, then the defaults of its fields. */
function fillIn(object: JSONObject<unknown>, { withDefault }: Shape): JSONObject<unknown> {
  let copy: JSONObject<unknown> | undefined;
  for (const { name, property } of withDefault) {
    const isSet = Object.hasOwn(object, name) && object[name] !== undefined;
    if (isSet && !(object[name] === null && property.nullable !== true)) continue;
    copy ??= { ...object };
    setMember(copy, name, copyJSON(property.default));
  }
  return copy ?? object;
}

function withoutNull(item: unknown, { schema }: Shape): unknown {
  return item === null && schema.nullable !== true ? copyJSON(schema.default ?? null) : item;
}
