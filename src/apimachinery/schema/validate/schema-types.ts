import { isKnownFormat } from "../formats/formats.ts";
import { type JSONSchema, nodesOf } from "../json-schema.ts";

/** The type of a JSON value; whole numbers within int64 are integers, as the API server decodes them. */
export type ValueKind = "string" | "boolean" | "integer" | "number" | "array" | "object";

/** The types that a node accepts: int-or-string overrides `type`. */
export function effectiveTypes(schema: JSONSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

/** The enforced format; unknown formats, and formats of other types, are ignored. */
export function effectiveFormat(schema: JSONSchema, types: readonly string[]): string {
  const format = schema.format ?? "";
  switch (types.length === 1 ? types[0] : "") {
    case "":
    case "string":
      return isKnownFormat(format) ? format : "";
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** Returns the type of a value that is not null. */
export function kindOf(value: unknown): ValueKind {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
    default:
      return Array.isArray(value) ? "array" : "object";
  }
}

/**
 * Compares a value's type with the schema's types. As on the API server, a format hides the type: errors name the
 * format instead of the type, and arrays are accepted.
 */
export function typeMismatch(
  types: readonly string[],
  format: string,
  kind: ValueKind,
  value: unknown,
): { expected: string; actual: string } | undefined {
  const accepted =
    types.includes(kind) || (kind === "integer" && types.includes("number")) || isWhole(types, kind, value);
  if (format === "") return accepted ? undefined : { expected: types.join(","), actual: kind };
  const numeric = types.includes("integer") || types.includes("number");
  if (kind === "string" || kind === "array") {
    return accepted || !numeric ? undefined : { expected: types.join(","), actual: kind };
  }
  return accepted ? undefined : { expected: format, actual: formatOfKind(kind) };
}

function isWhole(types: readonly string[], kind: ValueKind, value: unknown): boolean {
  return kind === "number" && types.includes("integer") && Number.isSafeInteger(value);
}

function formatOfKind(kind: ValueKind): string {
  if (kind === "integer") return "int64";
  return kind === "number" ? "float64" : "";
}

/** The formats in a schema that the API server ignores, and warns of. */
export function* unrecognizedFormats(schema: JSONSchema): Generator<string, void> {
  for (const node of nodesOf(schema)) {
    const { type, format } = node;
    if (format && effectiveFormat(node, type ? [type] : []) === "") yield format;
  }
}
