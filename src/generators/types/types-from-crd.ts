/**
 * From CRDs back to types. This file writes the types; `read-crds.ts` reads the CRDs and rejects invalid ones, because
 * their names become paths and code.
 */

import { posix } from "node:path";
import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import { type JSONSchema, itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import { commentTextLines, jsonText, markerString, stringLiteral } from "../../shared/source-text.ts";
import { type ThirdPartyCrd, readCrds } from "./read-crds.ts";
import { quantityPattern } from "../schema/built-in-types.ts";
import { MarkerError, parseArguments, splitMarker } from "../markers/parse-marker.ts";
import { lookUpMarker } from "../markers/registry.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { GeneratedFile } from "../model/files.ts";

interface TypesFile {
  /** `<group>/<version>/<kind>_types.ts` */
  readonly path: string;
  readonly content: string;
  /** Parts of the CRD that TypeScript cannot express. */
  readonly lost: readonly string[];
}

/**
 * Writes TypeScript types from a CRD, the reverse of `manifests`: the types generate the same CRD again. What only JSON
 * Schema can express (`allOf`, `oneOf`, `not`) is listed as lost.
 */
export function typesFromCrd(crd: ThirdPartyCrd): TypesFile[] {
  const { group, names } = crd.spec;
  return crd.spec.versions.flatMap((version) => [
    {
      path: `${group}/${version.name}/groupversion_info.ts`,
      content: `import type { GroupVersion } from "@tsbuilder/runtime";\n\nexport const groupVersion: GroupVersion = { group: ${stringLiteral(group)}, version: ${stringLiteral(version.name)} };\n`,
      lost: [],
    },
    kindFile(crd, version, `${group}/${version.name}/${names.kind.toLowerCase()}_types.ts`),
  ]);
}

/** Types to write, and the parts of the CRDs that TypeScript cannot express. */
export interface TypesPlan {
  readonly changes: readonly GeneratedFile[];
  /** `apps.example.com/v1/mysql_types.ts: .spec.size: allOf` */
  readonly lost: readonly string[];
}

/**
 * Generates TypeScript types for the CRDs of other projects. Default: the folder `src/types`; in `api/` they would be
 * treated as kinds of this project, and get CRDs.
 */
export async function planTypes(
  sources: readonly { readonly name: string; readonly text: string }[],
  folder = "src/types",
): Promise<TypesPlan> {
  const crds = await Promise.all(sources.map(({ name, text }) => readCrds(name, text)));
  const files = crds.flat().flatMap(typesOf);
  refuseTwins(files);
  return {
    changes: files.map(({ path, content }) => ({ path: posix.join(folder, path), content })),
    lost: files.flatMap(({ path, lost }) => lost.map((what) => `${path}: ${what}`)),
  };
}

/** Names that the files use from the language and the runtime. */
const ourNames = new Set([
  "CustomResource",
  "IntOrString",
  "JSONValue",
  "Omit",
  "Quantity",
  "RawExtension",
  "Record",
  "Time",
]);

/** A schema that is valid for an API server but not expressible in TypeScript has its own error. */
function typesOf(crd: ThirdPartyCrd): TypesFile[] {
  const { kind } = crd.spec.names;
  if (/^[A-Z][A-Za-z0-9]*$/u.test(kind) && !ourNames.has(kind)) return typesFromCrd(crd);
  throw new TsbuilderError(`the kind "${kind}" cannot be used as the name of a type`, {
    code: "INVALID_SOURCE",
    hint: "write its types by hand, under another name: defineKind() takes the kind as a string",
  });
}

/** Kinds that only differ in case, or duplicate CRDs: one file would overwrite the other. */
function refuseTwins(files: readonly TypesFile[]): void {
  const contents = new Map<string, string>();
  for (const { path, content } of files) {
    if ((contents.get(path) ?? content) !== content) {
      throw new TsbuilderError(`two of the CRDs result in the file "${path}"`, {
        code: "INVALID_SOURCE",
        hint: "generate the types of one of them in another folder with --output",
      });
    }
    contents.set(path, content);
  }
}

function kindFile(crd: ThirdPartyCrd, version: CRDVersion, path: string): TypesFile {
  const { names, scope } = crd.spec;
  const { kind, plural } = names;
  const root = version.schema?.openAPIV3Schema ?? {};
  const writer = new TypeWriter();
  const part = (name: "spec" | "status"): string | undefined => {
    const schema = root.properties?.[name];
    if (!schema) return undefined;
    writer.reportLostOfPart(schema, `.${name}`);
    return writer.interface(schema, kind + (name === "spec" ? "Spec" : "Status"), `.${name}`);
  };
  const [spec, status] = [part("spec"), part("status")];
  const markers = [...kindMarkers(crd, version), ...markerLines(root, { format: false, pattern: false })];
  const parameters = status ? `<${spec ?? "unknown"}, ${status}>` : spec ? `<${spec}>` : "";
  const required = new Set(root.required);
  const isOptional = spec !== undefined && !required.has("spec");
  // An interface cannot make a field of its base optional, so it is omitted from the base first.
  const base = isOptional ? `Omit<CustomResource${parameters}, "spec">` : `CustomResource${parameters}`;
  const members = [
    ...(required.has("metadata") ? ["metadata: ObjectMeta"] : []),
    ...(isOptional ? [`spec?: ${spec}`] : []),
    ...(status && required.has("status") ? [`status: ${status}`] : []),
  ];
  if (required.has("metadata")) writer.runtimeNames.add("ObjectMeta");
  const body = members.length > 0 ? `{\n${members.map((member) => `  ${member};\n`).join("")}}` : "{}";
  const runtime = [
    "type CustomResource",
    "defineKind",
    ...[...writer.runtimeNames].sort().map((name) => `type ${name}`),
  ];
  const options = scope === "Cluster" ? ', scope: "Cluster"' : "";
  const content = `import { ${runtime.join(", ")} } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

${writer.text}
${commentLines(root.description, markers, "")}export interface ${kind} extends ${base} ${body}
export const ${kind} = defineKind<${kind}>(groupVersion, { kind: ${stringLiteral(kind)}, plural: ${stringLiteral(plural)}${options} });
`;
  return { path, content, lost: [...writer.lost, ...lostOfRoot(root)] };
}

/**
 * Writes schemas as TypeScript types: an interface for each object, and an alias for each nested value with markers.
 */
class TypeWriter {
  readonly #declarations: string[] = [];
  readonly #names = new Set<string>();
  /** Names that the types import from `@tsbuilder/runtime`. */
  readonly runtimeNames = new Set<string>();
  /** Parts of the schema that TypeScript cannot express, by the path of the field. */
  readonly lost: string[] = [];

  /** All declarations so far, each before its uses. */
  get text(): string {
    return this.#declarations.join("\n");
  }

  /** Declares an interface for an object, and returns its name. */
  interface(schema: JSONSchema, wanted: string, path: string): string {
    const name = this.#freeName(wanted);
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {}).map(([field, property]) => {
      const at = `${path}.${field}`;
      const { type, markers } = this.#field(property, name + pascal(field), at);
      const key = /^[A-Za-z_$][\w$]*$/u.test(field) ? field : stringLiteral(field);
      const comment = commentLines(property.description, markers, "  ");
      return `${comment}  ${key}${required.has(field) ? "" : "?"}: ${type};\n`;
    });
    const markers = markerLines(schema, { format: false, pattern: false });
    if (schema["x-kubernetes-preserve-unknown-fields"]) markers.push(preserve);
    this.#reportLost(schema, path);
    const comment = commentLines(schema.description, markers, "");
    this.#declarations.push(`${comment}export interface ${name} {\n${members.join("")}}\n`);
    return name;
  }

  /** The type of a field, and the markers above it. */
  #field(schema: JSONSchema, wanted: string, path: string): { type: string; markers: string[] } {
    const bare = { ...schema };
    const { example } = schema;
    if (example !== undefined && exampleMarker(example) === undefined) this.lost.push(`${path}: example`);
    // The description and rules are at the field; its type only describes the structure.
    delete bare.description;
    const hasFields = schema.type === "object" && schema.properties !== undefined;
    if (hasFields) {
      const { properties, required, type } = schema;
      const name = this.interface(
        { type, properties, ...(required ? { required } : {}) } as JSONSchema,
        wanted,
        path,
      );
      const markers = [...markerLines(bare, { format: false, pattern: false }), ...fieldMarkerLines(schema)];
      if (schema["x-kubernetes-preserve-unknown-fields"]) markers.push(preserve);
      this.#reportLost(schema, path);
      return { type: nullable(name, schema), markers };
    }
    const { type, format, pattern, extra } = this.#value(schema, wanted, path);
    this.#reportLost(schema, path);
    const markers = [...extra, ...markerLines(bare, { format, pattern }), ...fieldMarkerLines(schema)];
    return { type: nullable(type, schema), markers };
  }

  /** The type of anything but an object with fields, with the markers for what that type does not say. */
  #value(schema: JSONSchema, wanted: string, path: string): Value {
    const value = this.#structure(schema, wanted, path);
    const extra = [...value.extra];
    if (schema["x-kubernetes-preserve-unknown-fields"] && !value.preserves) extra.push(preserve);
    if (schema.enum && !value.hasEnum) {
      const isWritable = schema.enum.every((item) => ["string", "number", "boolean"].includes(typeof item));
      if (isWritable) extra.push(`+kubebuilder:validation:Enum=${schema.enum.map(markerValue).join(";")}`);
      else this.lost.push(`${path}: enum`);
    }
    return { ...value, extra };
  }

  #structure(schema: JSONSchema, wanted: string, path: string): Value {
    const items = itemsOf(schema);
    if (schema.type === "array" && items) return plain(`${this.#inner(items, `${wanted}Item`, path)}[]`);
    const values = valuesOf(schema);
    if (schema.type === "object" && values) {
      return plain(`Record<string, ${this.#inner(values, `${wanted}Value`, path)}>`);
    }
    if (schema["x-kubernetes-int-or-string"]) return this.#intOrString(schema);
    if (schema["x-kubernetes-preserve-unknown-fields"]) {
      if (schema.type === undefined) return { ...this.#runtime("JSONValue"), preserves: true };
      if (schema.type === "object") return { ...this.#runtime("RawExtension"), preserves: true };
    }
    const literals = literalsOf(schema);
    return literals ? { ...plain(literals), hasEnum: true } : this.#scalar(schema);
  }

  #scalar(schema: JSONSchema): Value {
    const { type, format } = schema;
    if (type === "boolean") return plain("boolean");
    if (type === "integer" && (format === "int32" || format === "int64")) {
      return { ...this.#runtime(format), format: true };
    }
    if (type === "integer") return { ...plain("number"), extra: ["+kubebuilder:validation:Type=integer"] };
    if (type === "number") return this.#runtime("float64");
    if (type === "string")
      return format === "date-time" ? { ...this.#runtime("Time"), format: true } : plain("string");
    if (type === "object") return plain("{}");
    return { ...plain("unknown"), extra: ["+kubebuilder:validation:Schemaless"] };
  }

  #intOrString(schema: JSONSchema): Value {
    if (schema.anyOf === undefined) {
      const type = schema.type === "string" ? "string" : "unknown";
      return { ...plain(type), extra: ["+kubebuilder:validation:XIntOrString"] };
    }
    if (schema.pattern === quantityPattern) return { ...this.#runtime("Quantity"), pattern: true };
    return this.#runtime("IntOrString");
  }

  /** The type of an element or a map's value: one with markers or a comment gets a name to attach them to. */
  #inner(schema: JSONSchema, wanted: string, path: string): string {
    const at = `${path}[]`;
    // Their markers are for fields.
    for (const key of ["default", "example"] as const)
      if (schema[key] !== undefined) this.lost.push(`${at}: ${key}`);
    if (schema.type === "object" && schema.properties) {
      return inParentheses(nullable(this.interface(schema, wanted, at), schema));
    }
    const { type, format, pattern, extra } = this.#value(schema, wanted, at);
    this.#reportLost(schema, at);
    const markers = [...extra, ...markerLines(schema, { format, pattern })];
    if (markers.length === 0 && schema.description === undefined) {
      return inParentheses(nullable(type, schema));
    }
    const name = this.#freeName(wanted);
    const comment = commentLines(schema.description, markers, "");
    this.#declarations.push(`${comment}export type ${name} = ${nullable(type, schema)};\n`);
    return name;
  }

  #runtime(name: string): Value {
    this.runtimeNames.add(name);
    return plain(name);
  }

  /** Reports keywords of a spec or status for which only fields have a marker. */
  reportLostOfPart(schema: JSONSchema, path: string): void {
    for (const key of ["default", "example", "nullable", "additionalProperties", "enum"] as const) {
      if (schema[key] !== undefined && schema[key] !== false) this.lost.push(`${path}: ${key}`);
    }
    if (schema.type !== "object") this.lost.push(`${path}: type`);
  }

  #reportLost(schema: JSONSchema, path: string): void {
    for (const key of ["allOf", "oneOf", "not"] as const) {
      if (schema[key] && !(key === "allOf" && isNullableUnion(schema))) this.lost.push(`${path}: ${key}`);
    }
    if (schema.anyOf && !schema["x-kubernetes-int-or-string"]) this.lost.push(`${path}: anyOf`);
    const isUnsafe = typeof schema.default === "number" && Math.abs(schema.default) > Number.MAX_SAFE_INTEGER;
    if (isUnsafe) this.lost.push(`${path}: the last digits of its default`);
    if (!isWritable(schema.description)) this.lost.push(`${path}: description`);
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let i = 2; this.#names.has(name); i++) name = `${wanted}${i}`;
    this.#names.add(name);
    return name;
  }
}

/** Returns whether a comment can hold a description so that it is read back unchanged. */
function isWritable(description: string | undefined): boolean {
  if (description === undefined) return true;
  const lines = description.split("\n");
  const isKept = lines.every((line) => !/^(?:\+[A-Za-z]|TODO|---)|[ \t]$/u.test(line));
  return isKept && description.trim() === description && !/\n\n\n|[\r\u2028\u2029]/u.test(description);
}

/** Formats a description and markers as the comment above a declaration; empty if there are none. */
function commentLines(description: string | undefined, markers: readonly string[], indent: string): string {
  const text = description === undefined ? [] : commentTextLines(description).map(hideMarker);
  const lines = [...text, ...markers];
  if (lines.length === 0) return "";
  // The text would end a block comment early, or contains what looks like a tag.
  const needsLines = lines.some((line) => line.includes("*/") || /(?:^|\s)@/u.test(line));
  if (needsLines) return lines.map((line) => `${`${indent}// ${line}`.trimEnd()}\n`).join("");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${`${indent} * ${line}`.trimEnd()}\n`);
  return `${indent}/**\n${body.join("")}${indent} */\n`;
}

/** A description that looks like a marker must not act as one: it could grant permissions. */
function hideMarker(line: string): string {
  return line.replace(/^(\s*)\+(?=[A-Za-z])/u, "$1\\+");
}

interface Value {
  readonly type: string;
  /** The type already says which values are allowed, or that unknown fields are preserved. */
  readonly hasEnum?: boolean;
  readonly preserves?: boolean;
  /** The type already implies the format or the pattern. */
  readonly format: boolean;
  readonly pattern: boolean;
  readonly extra: readonly string[];
}

const preserve = "+kubebuilder:pruning:PreserveUnknownFields";

function plain(type: string): Value {
  return { type, format: false, pattern: false, extra: [] };
}

/** A union of literals, if the generators give it the type of the schema. */
function literalsOf(schema: JSONSchema): string | undefined {
  const { type } = schema;
  const values = schema.nullable ? nullableValues(schema) : schema.enum;
  if (!values || values.length === 0 || new Set(values).size !== values.length) return undefined;
  const isOfType =
    type === "string"
      ? values.every((value) => typeof value === "string")
      : type === "integer"
        ? values.every((value) => Number.isSafeInteger(value))
        : type === "boolean"
          ? values.length === 1 && typeof values[0] === "boolean"
          : type === "number" &&
            values.every((value) => typeof value === "number") &&
            !values.every((value) => Number.isInteger(value));
  return isOfType ? values.map(literal).join(" | ") : undefined;
}

function isNullableUnion(schema: JSONSchema): boolean {
  return schema.nullable === true && literalsOf(schema) !== undefined;
}

/** The values beside null, as the generators write them; an enum that is no branch of `allOf` rejects null. */
function nullableValues(schema: JSONSchema): readonly unknown[] | undefined {
  const [branch, ...others] = schema.allOf ?? [];
  const isEnum = branch?.enum && Object.keys(branch).length === 1 && others.length === 0;
  return isEnum && !schema.enum ? branch.enum : undefined;
}

function literal(value: unknown): string {
  return typeof value === "string" ? stringLiteral(value) : JSON.stringify(value);
}

function nullable(type: string, schema: JSONSchema): string {
  return schema.nullable ? `${type} | null` : type;
}

function inParentheses(type: string): string {
  return / \| /u.test(type) ? `(${type})` : type;
}

/** Converts a field's name to part of a type's name; invalid characters are dropped. */
function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/u);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Lists the parts of a root schema, beside spec and status, that `CustomResource` does not express. */
function lostOfRoot({ properties = {}, required = [], ...root }: JSONSchema): string[] {
  const known = ["apiVersion", "kind", "metadata", "spec", "status"];
  const others = Object.keys(properties).filter((name) => !known.includes(name));
  const metadata = Object.keys(properties["metadata"] ?? {}).filter(
    (key) => !["type", "description"].includes(key),
  );
  return [
    ...others.map((name) => `.${name}: field`),
    ...required
      .filter((name) => !["metadata", "spec", "status"].includes(name) && !others.includes(name))
      .map((name) => `.${name}: required`),
    ...(metadata.length > 0 ? [`.metadata: ${metadata.join(", ")}`] : []),
    ...["default", "example", "nullable", "x-kubernetes-preserve-unknown-fields"].flatMap((key) =>
      root[key as keyof typeof root] === undefined ? [] : [`.: ${key}`],
    ),
  ];
}

function kindMarkers({ spec, metadata }: ThirdPartyCrd, version: CRDVersion): string[] {
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
    ...(version.deprecated ? [deprecation(version.deprecationWarning)] : []),
    ...(version.additionalPrinterColumns ?? []).map(column),
    ...(version.selectableFields ?? []).map(
      ({ jsonPath }) => `+kubebuilder:selectablefield:JSONPath=${quoteMarker(jsonPath)}`,
    ),
  ];
}

function deprecation(warning: string | undefined): string {
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
function markerLines(
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
function fieldMarkerLines(schema: JSONSchema): string[] {
  const lines: string[] = [];
  if (schema.default !== undefined) lines.push(`+default=${jsonText(schema.default)}`);
  const example = schema.example === undefined ? undefined : exampleMarker(schema.example);
  if (example !== undefined) lines.push(example);
  return lines;
}

/**
 * The marker of an example; undefined if none is read back as the same value: the elements of a list are of one type,
 * braces without content are a map, and there is no null.
 */
function exampleMarker(example: unknown): string | undefined {
  const text = `kubebuilder:example=${markerValue(example)}`;
  const found = lookUpMarker("kubebuilder:example");
  if (found.kind !== "known") return undefined;
  try {
    const { "": read } = parseArguments(splitMarker(text), found.definition);
    return sameText(read, example) ? `+${text}` : undefined;
  } catch (error) {
    if (error instanceof MarkerError) return undefined;
    throw error;
  }
}

function sameText(one: unknown, other: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
  return text(one) === text(other);
}

/** A value of any type in a marker. */
function markerValue(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(markerValue).join(", ")}}`;
  if (typeof value !== "object" || value === null) return jsonText(value);
  const entries = Object.entries(value).map(([key, item]) => `${jsonText(key)}: ${markerValue(item)}`);
  return `{${entries.join(", ")}}`;
}

/** A string as a marker's value: in backticks if that avoids escapes. */
function quoteMarker(text: string): string {
  if (/^[A-Za-z][\w./-]*$/u.test(text) && text !== "true" && text !== "false") return text;
  return /[`\n\r\t\u2028\u2029]|\*\//u.test(text) || !/["\\]/u.test(text)
    ? markerString(text)
    : `\`${text}\``;
}

function column({ jsonPath, ...rest }: PrinterColumn): string {
  const args = Object.entries({ ...rest, JSONPath: jsonPath }).map(
    ([name, value]) => `${name}=${typeof value === "number" ? value : markerString(value)}`,
  );
  return `+kubebuilder:printcolumn:${args.join(",")}`;
}
