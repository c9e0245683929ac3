import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { jsonText, markerString } from "../../shared/source-text.ts";
import { exampleMarker } from "./marker-value.ts";

const bounds = {
  maximum: "Maximum",
  minimum: "Minimum",
  multipleOf: "MultipleOf",
  exclusiveMaximum: "ExclusiveMaximum",
  exclusiveMinimum: "ExclusiveMinimum",
  maxLength: "MaxLength",
  minLength: "MinLength",
  maxItems: "MaxItems",
  minItems: "MinItems",
  uniqueItems: "UniqueItems",
  maxProperties: "MaxProperties",
  minProperties: "MinProperties",
} as const;

/** The markers for what a field's or named type's TypeScript type cannot express. */
export function markerLines(
  schema: JSONSchema,
  written: { readonly format: boolean; readonly pattern: boolean },
): string[] {
  const lines: string[] = [];
  const add = (name: string, value?: string): void => {
    lines.push(`+${name}${value === undefined ? "" : `=${value}`}`);
  };
  for (const [key, name] of Object.entries(bounds)) {
    const value = schema[key as keyof typeof bounds];
    if (value !== undefined) add(`kubebuilder:validation:${name}`, String(value));
  }
  if (schema.pattern !== undefined && !written.pattern) {
    add("kubebuilder:validation:Pattern", quoteMarker(schema.pattern));
  }
  if (schema.format !== undefined && !written.format)
    add("kubebuilder:validation:Format", quoteMarker(schema.format));
  if (schema["x-kubernetes-list-type"]) add("listType", schema["x-kubernetes-list-type"]);
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) add("listMapKey", quoteMarker(key));
  if (schema["x-kubernetes-map-type"]) {
    add(schema.properties ? "structType" : "mapType", schema["x-kubernetes-map-type"]);
  }
  if (schema["x-kubernetes-embedded-resource"]) add("kubebuilder:validation:XEmbeddedResource");
  if (schema.title !== undefined) add("kubebuilder:title", markerString(schema.title));
  const docs = schema.externalDocs;
  if (docs?.url !== undefined) {
    const text = docs.description === undefined ? "" : `,description=${markerString(docs.description)}`;
    add(`kubebuilder:externalDocs:url`, `${markerString(docs.url)}${text}`);
  }
  for (const rule of schema["x-kubernetes-validations"] ?? []) {
    const args = Object.entries(rule)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${typeof value === "string" ? quoteMarker(value) : String(value)}`);
    add(`kubebuilder:validation:XValidation:${args.join(",")}`);
  }
  return lines;
}

/** Markers that only apply to fields. */
export function fieldMarkerLines(schema: JSONSchema): string[] {
  const lines: string[] = [];
  if (schema.default !== undefined) lines.push(`+default=${jsonText(schema.default)}`);
  const example = schema.example === undefined ? undefined : exampleMarker(schema.example);
  if (example !== undefined) lines.push(example);
  return lines;
}

/** A string as a marker's value: in backticks if that avoids escapes. */
export function quoteMarker(text: string): string {
  if (/^[A-Za-z][\w./-]*$/u.test(text) && text !== "true" && text !== "false") return text;
  return /[`\n\r\t\u2028\u2029]|\*\//u.test(text) || !/["\\]/u.test(text)
    ? markerString(text)
    : `\`${text}\``;
}
