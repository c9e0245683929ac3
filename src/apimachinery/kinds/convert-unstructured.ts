import { isObject, memberOf } from "../json/index.ts";
import {
  DecodeError,
  decodeQuantity,
  decodeTime,
  explainBase64,
  isInteger,
  jsonKind,
} from "./decode-built-in.ts";
import { goFieldsOf, goTypeOf } from "./go-fields.ts";
import type { BuiltinSchema } from "./schema-graph.ts";

/**
 * Converts an unstructured object to a built-in kind as Go does after an apply or a strategic merge patch: integers lose
 * the bits that their fields have no room for. Returns the error of the first field, in the order of Go's declarations,
 * that can't be converted; its words are not those of the JSON decoder. Changes the object in place.
 */
export function convertUnstructured(object: object, schema: BuiltinSchema): string | undefined {
  // Nearly all objects can be converted, and then the order doesn't matter: looking for each declared field takes longer.
  const anyFailure = failureOf(object, schema, Object.keys);
  return anyFailure === undefined ? undefined : failureOf(object, schema, inDeclaredOrder);
}

/** Returns the names of an object's fields, in the order in which they are converted. */
type FieldOrder = (object: object, schema: BuiltinSchema) => readonly string[];

function failureOf(object: object, schema: BuiltinSchema, order: FieldOrder): string | undefined {
  try {
    convert(object, schema, undefined, order);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Converts a value. `goType` is the declared type, if it does not follow from the schema. */
function convert(value: unknown, schema: BuiltinSchema, goType: string | undefined, order: FieldOrder): void {
  if (value === null || value === undefined) return undefined;
  const { typeName, type } = schema;
  if (typeName === "Quantity") return void decodeQuantity(value);
  if (typeName === "Time" || typeName === "MicroTime") {
    if (typeof value !== "string") throw mismatch(value, "string");
    return void decodeTime(value, typeName === "MicroTime");
  }
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof value !== "string" && !isInteger(value, "int32")) throw mismatch(value, "int32");
    return undefined;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] || type === undefined) return undefined;
  if (type === "object") return convertObject(value, schema, order);
  if (type === "array" || schema.format === "byte") return convertList(value, schema, goType, order);
  return convertScalar(value, schema, goType);
}

function convertObject(value: unknown, schema: BuiltinSchema, order: FieldOrder): void {
  if (!isObject(value)) {
    const target = schema.properties ? "struct from:" : "map from";
    throw new DecodeError(`cannot restore ${target} ${kindOf(value)}`);
  }
  const { properties, additionalProperties } = schema;
  if (properties) {
    const declared = goFieldsOf(schema);
    for (const name of order(value, schema)) {
      const node = memberOf(properties, name);
      if (node) convertAt(value, name, node, declared.get(name)?.type, order);
    }
    return;
  }
  if (!additionalProperties) return;
  for (const key of Object.keys(value)) convertAt(value, key, additionalProperties, undefined, order);
}

/** An object or a list. */
type Container = Record<string | number, unknown>;

function convertAt(
  container: Container,
  key: string | number,
  schema: BuiltinSchema,
  goType: string | undefined,
  order: FieldOrder,
): void {
  const value = container[key];
  convert(value, schema, goType, order);
  const hasIntegerType = schema.type === "integer" && !schema["x-kubernetes-int-or-string"];
  if (!hasIntegerType || typeof value !== "number" || isInteger(value, schema.format ?? "int32")) return;
  container[key] = truncateToBits(value, schema.format === "int64" ? 64 : 32);
}

/** Returns the lowest bits of an integer. Go converts one beyond 64 bits to the smallest int64 first. */
function truncateToBits(value: number, bits: 32 | 64): number {
  const whole = isInteger(value, "int64") ? BigInt(value) : -(2n ** 63n);
  return Number(BigInt.asIntN(bits, whole));
}

const fieldNamesBySchema = new WeakMap<BuiltinSchema, ReadonlySet<string>>();

/** Returns the fields of a struct that an object has, in the order of Go's declarations. */
function inDeclaredOrder(object: object, schema: BuiltinSchema): string[] {
  return [...fieldNames(schema)].filter((name) => Object.hasOwn(object, name));
}

function fieldNames(schema: BuiltinSchema): ReadonlySet<string> {
  let known = fieldNamesBySchema.get(schema);
  if (!known) {
    const declared = goFieldsOf(schema).keys();
    known = new Set(["kind", "apiVersion", ...declared, ...Object.keys(schema.properties ?? {})]);
    fieldNamesBySchema.set(schema, known);
  }
  return known;
}

function convertList(
  value: unknown,
  schema: BuiltinSchema,
  goType: string | undefined,
  order: FieldOrder,
): void {
  if (schema.format === "byte" && typeof value === "string") {
    const why = explainBase64(value);
    if (why !== undefined) throw new DecodeError(`error decoding from json: ${why}`);
    return;
  }
  if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${kindOf(value)}`);
  const { items } = schema;
  if (!items) return;
  const itemType = goType?.replace(/^\[\]/u, "");
  for (const index of value.keys()) convertAt(value as object as Container, index, items, itemType, order);
}

function convertScalar(value: unknown, schema: BuiltinSchema, goType = goTypeOf(schema)): void {
  const { type, format } = schema;
  const kind = kindOf(value);
  switch (type) {
    case "string":
      if (kind === "string") return;
      if (kind === "int64") throw new DecodeError(`cannot convert int64 to ${goType}`);
      throw new DecodeError("unrecognized type: string");
    case "boolean":
      if (kind === "bool") return;
      throw new DecodeError("unrecognized type: bool");
    case "integer":
      if (kind === "int64") return;
      if (kind === "float64") throw new DecodeError(`cannot convert float64 to ${goType}`);
      throw new DecodeError(`unrecognized type: ${format ?? "int32"}`);
    default:
      if (kind !== "int64" && kind !== "float64") throw new DecodeError("unrecognized type: float64");
  }
}

/** The name of a JSON value's type in Go's reflection. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (isObject(value)) return "map";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value;
}

function mismatch(value: unknown, type: string): DecodeError {
  return new DecodeError(`json: cannot unmarshal ${jsonKind(value, type)} into Go value of type ${type}`);
}
