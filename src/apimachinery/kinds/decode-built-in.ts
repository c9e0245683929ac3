import { isObject } from "../json/index.ts";
import { joinPath } from "../errors/index.ts";
import { canonicalizeQuantity, roundToThousandths } from "../quantity/index.ts";
import type { BuiltinSchema } from "./schema-node.ts";

/** A decoded object and its unknown fields. */
export interface DecodedBuiltIn {
  readonly object: Record<string, unknown>;
  /** The paths of unknown fields, which are dropped. */
  readonly unknown: readonly string[];
}

/** A value that Go could not decode into the field's type; clients get the message. */
export class DecodeError extends Error {}

/**
 * Decodes an object of a built-in kind as Go does: drops unknown fields, nulls, and empty lists and maps that are not
 * required.
 * @throws DecodeError for a value of a wrong type
 */
export function decodeBuiltIn(object: Record<string, unknown>, schema: BuiltinSchema): DecodedBuiltIn {
  const unknown: string[] = [];
  const decoded = decodeStruct(object, schema, { strict: "", go: "" }, unknown);
  return { object: decoded, unknown };
}

/** A path in the object: with indexes for strict errors, without for Go's type errors. */
interface Place {
  readonly strict: string;
  readonly go: string;
}

function decodeStruct(
  value: Record<string, unknown>,
  schema: BuiltinSchema,
  place: Place,
  unknown: string[],
): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const result: Record<string, unknown> = {};
  for (const [field, child] of Object.entries(value)) {
    const node = Object.hasOwn(properties, field) ? properties[field] : undefined;
    if (!node) {
      unknown.push(joinPath(place.strict, field));
      continue;
    }
    if (child === null || child === undefined) continue;
    const at = { strict: joinPath(place.strict, field), go: joinPath(place.go, field) };
    const owner = `${goName(schema)}.${at.go}`;
    const decoded = decodeValue(child, node, at, owner, unknown);
    // An empty list of managedFields asks to reset them; a role without rules is stored with an empty list.
    const kept = required.includes(field) || field === "managedFields" || at.go === "rules";
    if (isEmptyCollection(decoded, node) && !kept) continue;
    result[field] = decoded;
  }
  for (const field of alwaysPrinted(schema)) result[field] ??= null;
  return result;
}

const printed = new WeakMap<BuiltinSchema, readonly string[]>();

/** Go encodes an unset time as null unless it is a pointer: the times of conditions and of container states. */
function alwaysPrinted(schema: BuiltinSchema): readonly string[] {
  let fields = printed.get(schema);
  if (!fields) {
    const isPlain = /Condition$|ContainerState(Running|Terminated)$/.test(schema.typeName ?? "");
    const entries = isPlain ? Object.entries(schema.properties ?? {}) : [];
    fields = entries.filter(([, { typeName }]) => typeName === "Time").map(([name]) => name);
    printed.set(schema, fields);
  }
  return fields;
}

function decodeValue(
  value: unknown,
  schema: BuiltinSchema,
  place: Place,
  owner: string,
  unknown: string[],
): unknown {
  const { typeName, type } = schema;
  if (typeName === "Quantity") return decodeQuantity(value);
  if (typeName === "Time" || typeName === "MicroTime") return decodeTime(value, owner);
  if (schema["x-kubernetes-int-or-string"]) return decodeIntOrString(value, owner);
  if (schema["x-kubernetes-preserve-unknown-fields"] || type === undefined) return value;
  switch (type) {
    case "object": {
      if (!isObject(value)) throw mismatch(value, owner, goType(schema));
      if (schema.properties) return decodeStruct(value, schema, place, unknown);
      if (!schema.additionalProperties) return value;
      return decodeMap(value, schema.additionalProperties, place, owner, unknown);
    }
    case "array": {
      if (schema.format === "byte" || !schema.items) return value;
      if (!Array.isArray(value)) throw mismatch(value, owner, goType(schema));
      const { items } = schema;
      return value.map((item, index) => {
        const at = { strict: `${place.strict}[${index}]`, go: place.go };
        return item === null && items.type === "object" ? {} : decodeValue(item, items, at, owner, unknown);
      });
    }
    case "string":
      if (typeof value !== "string") throw mismatch(value, owner, goType(schema));
      return value;
    case "boolean":
      if (typeof value !== "boolean") throw mismatch(value, owner, "bool");
      return value;
    case "integer":
      if (!isInteger(value, schema.format)) throw mismatch(value, owner, goType(schema));
      return value;
    case "number":
      if (typeof value !== "number") throw mismatch(value, owner, "float64");
      return value;
  }
}

function decodeMap(
  value: Record<string, unknown>,
  schema: BuiltinSchema,
  place: Place,
  owner: string,
  unknown: string[],
): Record<string, unknown> {
  if (schema.typeName === "Quantity") return decodeResources(value);
  const entries = Object.entries(value).map(([key, child]) => {
    const at = { strict: joinPath(place.strict, key), go: place.go };
    return [key, child === null ? zeroOf(schema) : decodeValue(child, schema, at, owner, unknown)] as const;
  });
  return Object.fromEntries(entries);
}

/** Resource amounts are rounded up to thousandths. */
function decodeResources(value: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(value).map(
    ([name, amount]) => [name, roundToThousandths(decodeQuantity(amount ?? "0"))] as const,
  );
  return Object.fromEntries(entries);
}

function zeroOf({ type }: BuiltinSchema): unknown {
  return type === "string" ? "" : type === "array" ? [] : {};
}

function decodeQuantity(value: unknown): string {
  const text = typeof value === "number" ? String(value) : value;
  try {
    return canonicalizeQuantity(text as string);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

function decodeTime(value: unknown, owner: string): unknown {
  if (typeof value !== "string") throw mismatch(value, owner, "string");
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)) {
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  }
  return value;
}

function decodeIntOrString(value: unknown, owner: string): unknown {
  if (typeof value === "string" || isInteger(value, "int32")) return value;
  throw mismatch(value, owner, "int32");
}

function isInteger(value: unknown, format: string | undefined): boolean {
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  return format !== "int32" || (value >= -(2 ** 31) && value < 2 ** 31);
}

function isEmptyCollection(value: unknown, { type, properties, typeName }: BuiltinSchema): boolean {
  // An empty list as a value of any type, such as the default of a schema, is kept.
  if (Array.isArray(value)) return type !== undefined && value.length === 0;
  const map = type === "object" && !properties && typeName === undefined;
  return map && isObject(value) && Object.keys(value).length === 0;
}

function mismatch(value: unknown, owner: string, type: string): DecodeError {
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const shown = found === "number" && /^(u?int|float)/.test(type) ? `number ${String(value)}` : found;
  return new DecodeError(`json: cannot unmarshal ${shown} into Go struct field ${owner} of type ${type}`);
}

function goType(schema: BuiltinSchema): string {
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int32";
    case "boolean":
      return "bool";
    case "array":
      return schema.items ? `[]${goType(schema.items)}` : "[]uint8";
    case "object":
      if (schema.additionalProperties) return `map[string]${goType(schema.additionalProperties)}`;
      return `v1.${goName(schema)}`;
    default:
      return "string";
  }
}

function goName({ typeName = "" }: BuiltinSchema): string {
  return typeName.slice(typeName.lastIndexOf(".") + 1);
}
