import { copyJSON, isObject, type JSONObject, setMember } from "../json/index.ts";
import { copyObject, dropped, mapList, mapObject } from "./copy-on-write.ts";
import { type JSONSchema, itemsOf, memberSchema, valuesOf } from "./json-schema.ts";

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

/** A default of null counts as no default. */
export function hasDefault(schema: JSONSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** The compiled defaults of a node. */
interface Defaulter {
  readonly properties: ReadonlyMap<string, Defaulter>;
  /** The properties that have a default. */
  readonly missing: readonly Defaulter[];
  readonly values: Defaulter | undefined;
  readonly items: Defaulter | undefined;
  readonly name: string;
  readonly default: unknown;
  readonly replacesNull: boolean;
}

/** Compiles the defaults of a schema to a function, which returns its argument if no field was missing. */
export function compileDefaults(schema: JSONSchema): (value: unknown) => unknown {
  const root = compile("", schema, new Map());
  return (value) => applyTo(value, root);
}

function applyTo(value: unknown, node: Defaulter | undefined): unknown {
  if (!node || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = node;
    return items ? mapList(value, (item) => applyTo(withoutNull(item, items), items)) : value;
  }
  return mapObject(fillIn(value as JSONObject<unknown>, node), (item, key) => {
    const property = node.properties.get(key);
    if (property) return applyTo(item, property);
    return node.values ? applyTo(withoutNull(item, node.values), node.values) : item;
  });
}

/** Applies a node's default first, then the defaults of its fields. */
function fillIn(object: JSONObject<unknown>, node: Defaulter): JSONObject<unknown> {
  let copy: JSONObject<unknown> | undefined;
  for (const property of node.missing) {
    const { name } = property;
    const isSet = Object.hasOwn(object, name) && object[name] !== undefined;
    if (isSet && !(object[name] === null && property.replacesNull)) continue;
    copy ??= copyObject(object);
    setMember(copy, name, copyJSON(property.default));
  }
  return copy ?? object;
}

function withoutNull(item: unknown, node: Defaulter): unknown {
  return item === null && node.replacesNull ? copyJSON(node.default ?? null) : item;
}

function compile(name: string, schema: JSONSchema, known: Map<JSONSchema, Defaulter>): Defaulter {
  const existing = known.get(schema);
  if (existing?.name === name) return existing;
  const properties = new Map<string, Defaulter>();
  const missing: Defaulter[] = [];
  const node = {
    name,
    properties,
    missing,
    values: undefined as Defaulter | undefined,
    items: undefined as Defaulter | undefined,
    default: schema.default,
    replacesNull: schema.nullable !== true,
  };
  known.set(schema, node);
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    const compiled = compile(key, child, known);
    properties.set(key, compiled);
    if (hasDefault(child)) missing.push(compiled);
  }
  const values = valuesOf(schema);
  if (values) node.values = compile("", values, known);
  const items = itemsOf(schema);
  if (items) node.items = compile("", items, known);
  return node;
}
