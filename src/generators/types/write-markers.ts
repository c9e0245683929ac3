import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { jsonText, markerString } from "../../shared/source-text.ts";
import { MarkerError, parseArguments, splitMarker } from "../markers/parse-marker.ts";
import { lookUpMarker } from "../markers/registry.ts";
import type { ThirdPartyCrd } from "./read-crds.ts";

/** Writes the markers of a kind: the parts of its CRD, outside of the schema, that `defineKind` does not express. */
export function kindMarkers({ spec, metadata }: ThirdPartyCrd, version: CRDVersion): string[] {
  const { names, versions } = spec;
  const list = (values: readonly string[] = []): string => values.map(quoteMarker).join(";");
  const resource = [
    ...(names.singular && names.singular !== names.kind.toLowerCase()
      ? [`singular=${quoteMarker(names.singular)}`]
      : []),
    ...(names.shortNames ? [`shortName=${list(names.shortNames)}`] : []),
    ...(names.categories ? [`categories=${list(names.categories)}`] : []),
  ];
  const pairs = (name: "labels" | "annotations"): string[] => {
    const entries = Object.entries(metadata?.[name] ?? {}).filter(([key]) => !key.endsWith("/version"));
    const texts = entries.map(([key, value]) => markerString(`${key}=${value}`));
    return texts.length > 0 ? [`${name}={${texts.join(",")}}`] : [];
  };
  const texts = [...pairs("annotations"), ...pairs("labels")];
  const scale = version.subresources?.scale;
  return [
    ...(resource.length > 0 ? [`+kubebuilder:resource:${resource.join(",")}`] : []),
    ...(texts.length > 0 ? [`+kubebuilder:metadata:${texts.join(",")}`] : []),
    ...(version.subresources?.status ? ["+kubebuilder:subresource:status"] : []),
    ...(scale ? [scaleMarker(scale)] : []),
    ...(version.storage && versions.length > 1 ? ["+kubebuilder:storageversion"] : []),
    ...(version.served ? [] : ["+kubebuilder:unservedversion"]),
    ...(version.deprecated ? [deprecationMarker(version.deprecationWarning)] : []),
    ...(version.additionalPrinterColumns ?? []).map(printColumnMarker),
    ...(version.selectableFields ?? []).map(
      ({ jsonPath }) => `+kubebuilder:selectablefield:JSONPath=${quoteMarker(jsonPath)}`,
    ),
  ];
}

function deprecationMarker(warning: string | undefined): string {
  return `+kubebuilder:deprecatedversion${warning === undefined ? "" : `:warning=${markerString(warning)}`}`;
}

type Scale = NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>;

function scaleMarker({ specReplicasPath, statusReplicasPath, labelSelectorPath }: Scale): string {
  const selector = labelSelectorPath ? `,selectorpath=${quotePath(labelSelectorPath)}` : "";
  return `+kubebuilder:subresource:scale:specpath=${quotePath(specReplicasPath)},statuspath=${quotePath(statusReplicasPath)}${selector}`;
}

function quotePath(path: string): string {
  return /^[\w.-]+$/u.test(path) ? path : quoteMarker(path);
}

function printColumnMarker({ jsonPath, ...rest }: PrinterColumn): string {
  const args = Object.entries({ ...rest, JSONPath: jsonPath }).map(
    ([name, value]) => `${name}=${typeof value === "number" ? value : markerString(value)}`,
  );
  return `+kubebuilder:printcolumn:${args.join(",")}`;
}

/** The keywords that limit values. Their markers have the same names, which begin with a capital letter. */
const limits: readonly (keyof JSONSchema)[] = [
  "maximum",
  "minimum",
  "multipleOf",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxProperties",
  "minProperties",
];

/** Writes the markers for keywords that the TypeScript type does not imply, without those for fields only. */
export function schemaMarkers(
  schema: JSONSchema,
  implied: { readonly format: boolean; readonly pattern: boolean },
): string[] {
  const lines: string[] = [];
  const add = (name: string, value?: string): void => {
    lines.push(`+${name}${value === undefined ? "" : `=${value}`}`);
  };
  for (const key of limits) {
    const value = schema[key] as number | boolean | undefined;
    const name = key.slice(0, 1).toUpperCase() + key.slice(1);
    if (value !== undefined) add(`kubebuilder:validation:${name}`, String(value));
  }
  if (schema.pattern !== undefined && !implied.pattern) {
    add("kubebuilder:validation:Pattern", quoteMarker(schema.pattern));
  }
  if (schema.format !== undefined && !implied.format)
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

/** Writes the markers that only apply to fields: the default and the example. */
export function fieldMarkers(schema: JSONSchema): string[] {
  const lines: string[] = [];
  if (schema.default !== undefined) lines.push(`+default=${jsonText(schema.default)}`);
  const example = schema.example === undefined ? undefined : exampleMarker(schema.example);
  if (example !== undefined) lines.push(example);
  return lines;
}

/** Writes the marker of an example; undefined if a marker cannot express it, such as null or a list of mixed types. */
export function exampleMarker(example: unknown): string | undefined {
  const text = `kubebuilder:example=${markerValue(example)}`;
  const found = lookUpMarker("kubebuilder:example");
  if (found.kind !== "known") return undefined;
  try {
    const { "": read } = parseArguments(splitMarker(text), found.definition);
    return isSameValue(read, example) ? `+${text}` : undefined;
  } catch (error) {
    if (error instanceof MarkerError) return undefined;
    throw error;
  }
}

function isSameValue(left: unknown, right: unknown): boolean {
  const withBigInts = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
  return withBigInts(left) === withBigInts(right);
}

/** Writes a value of any type as a marker's value: lists and maps in braces, all else as JSON. */
export function markerValue(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(markerValue).join(", ")}}`;
  if (typeof value !== "object" || value === null) return jsonText(value);
  const entries = Object.entries(value).map(([key, item]) => `${jsonText(key)}: ${markerValue(item)}`);
  return `{${entries.join(", ")}}`;
}

/** Writes a string as a marker's value: without quotes if it is a word, in backticks if that avoids escapes. */
function quoteMarker(text: string): string {
  if (/^[A-Za-z][\w./-]*$/u.test(text) && text !== "true" && text !== "false") return text;
  return /[`\n\r\t\u2028\u2029]|\*\//u.test(text) || !/["\\]/u.test(text)
    ? markerString(text)
    : `\`${text}\``;
}
