import { compareText } from "@tsbuilder/apimachinery/text";
import type { Schema } from "../schema/schema.ts";
import { markdownCode, markdownText, onOneLine, tableCell } from "./markdown.ts";

/** The rows of a table of fields: path, type with limits, and description; nested fields follow. */
export function fieldRows(schema: Schema, path: string): string[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([name, field]) => {
      const at = `${path}.${name}`;
      const mark = required.has(name) ? " **required**" : "";
      const cells = [`${markdownCode(at)}${mark}`, describeType(field), describeField(field)];
      const row = `| ${cells.map(tableCell).join(" | ")} |`;
      const { node, suffix } = insideOf(field);
      return [row, ...fieldRows(node, at + suffix)];
    });
}

/** The object whose fields follow a field: its own, or that of its elements. */
function insideOf(schema: Schema): { node: Schema; suffix: string } {
  if (schema.items) {
    const { node, suffix } = insideOf(schema.items);
    return { node, suffix: `[]${suffix}` };
  }
  if (typeof schema.additionalProperties === "object") {
    const { node, suffix } = insideOf(schema.additionalProperties);
    return { node, suffix: `.*${suffix}` };
  }
  return { node: schema, suffix: "" };
}

function describeType(schema: Schema): string {
  if (schema.items) return `list of ${describeType(schema.items)}`;
  if (typeof schema.additionalProperties === "object")
    return `map of ${describeType(schema.additionalProperties)}`;
  if (schema["x-kubernetes-int-or-string"]) return schema.pattern ? "quantity" : "integer or string";
  const values = schema.enum ?? schema.allOf?.find((branch) => branch.enum)?.enum;
  if (values) return values.map((value) => markdownCode(JSON.stringify(value))).join(" ");
  const type = schema.type ?? "any";
  return schema.format ? `${type} (${schema.format})` : type;
}

function describeField(schema: Schema): string {
  const facts = [
    ...(schema.default !== undefined ? [`Default: ${markdownCode(JSON.stringify(schema.default))}.`] : []),
    ...range("Value", schema.minimum, schema.maximum),
    ...range("Length", schema.minLength, schema.maxLength),
    ...range("Items", schema.minItems, schema.maxItems),
    ...range("Keys", schema.minProperties, schema.maxProperties),
    ...(schema.pattern && schema.type === "string" ? [`Pattern: ${markdownCode(schema.pattern)}.`] : []),
    ...(schema.nullable ? ["May be null."] : []),
    ...(schema["x-kubernetes-list-map-keys"]
      ? [`Keys: ${schema["x-kubernetes-list-map-keys"].map(markdownText).join(", ")}.`]
      : []),
    ...(schema["x-kubernetes-validations"] ?? []).map(
      ({ rule, message }) =>
        `Rule: ${message === undefined ? markdownCode(rule) : markdownText(onOneLine(message))}.`,
    ),
  ];
  const description = markdownText(onOneLine(schema.description ?? ""));
  return [description, ...facts].filter((text) => text !== "").join(" ");
}

function range(what: string, low: number | undefined, high: number | undefined): string[] {
  if (low !== undefined && high !== undefined) return [`${what}: ${low} to ${high}.`];
  if (low !== undefined) return [`${what}: at least ${low}.`];
  return high === undefined ? [] : [`${what}: at most ${high}.`];
}
