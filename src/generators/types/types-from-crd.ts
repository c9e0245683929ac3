/**
 * From CRDs back to types, the reverse of `tsbuilder manifests`. `read-crds.ts` reads and validates the CRDs,
 * `write-markers.ts` writes markers for the keywords that a TypeScript type does not express.
 */

import { posix } from "node:path";
import type { CRDVersion } from "@tsbuilder/apimachinery/crd";
import { type JSONSchema, itemsOf, valuesOf } from "@tsbuilder/apimachinery/schema";
import { commentTextLines, stringLiteral } from "../../shared/source-text.ts";
import { type ThirdPartyCrd, readCrds } from "./read-crds.ts";
import { quantityPattern } from "../schema/built-in-types.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { GeneratedFile } from "../model/files.ts";
import { exampleMarker, fieldMarkers, kindMarkers, markerValue, schemaMarkers } from "./write-markers.ts";

/** Types to write, and the parts of the CRDs that TypeScript cannot express. */
export interface TypesPlan {
  readonly changes: readonly GeneratedFile[];
  /** `apps.example.com/v1/mysql_types.ts: .spec.size: allOf` */
  readonly lost: readonly string[];
}

/**
 * Plans TypeScript types for the CRDs of other projects. Their default folder is not `api`, where they would be kinds of
 * this project. Throws a TsbuilderError for an invalid CRD, and for two CRDs with different types in the same file.
 */
export async function planTypes(
  sources: readonly { readonly name: string; readonly text: string }[],
  folder = "src/types",
): Promise<TypesPlan> {
  const crds = await Promise.all(sources.map(({ name, text }) => readCrds(name, text)));
  const files = crds.flat().flatMap(checkedTypes);
  refuseSamePaths(files);
  return {
    changes: files.map(({ path, content }) => ({ path: posix.join(folder, path), content })),
    lost: files.flatMap(({ path, lost }) => lost.map((what) => `${path}: ${what}`)),
  };
}

/** Names that the files use from TypeScript and the runtime: a kind of such a name would hide them. */
const reservedNames = new Set(
  "CustomResource IntOrString JSONValue Omit Quantity RawExtension Record Time".split(" "),
);

/** Refuses a kind that is valid for an API server, but cannot be the name of its type. */
function checkedTypes(crd: ThirdPartyCrd): TypesFile[] {
  const { kind } = crd.spec.names;
  if (/^[A-Z][A-Za-z0-9]*$/u.test(kind) && !reservedNames.has(kind)) return typesFromCrd(crd);
  throw new TsbuilderError(`the kind "${kind}" cannot be used as the name of a type`, {
    code: "INVALID_SOURCE",
    hint: "write its types by hand, under another name: defineKind() takes the kind as a string",
  });
}

/** A file with the types of a version. */
interface TypesFile {
  /** `<group>/<version>/<kind>_types.ts` */
  readonly path: string;
  readonly content: string;
  /** Parts of the CRD that TypeScript cannot express. */
  readonly lost: readonly string[];
}

/** Writes the types of a CRD, two files for each version: they generate the same CRD, except for what is lost. */
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

/** Refuses kinds that only differ in case, and different CRDs of one kind: one file would overwrite the other. */
function refuseSamePaths(files: readonly TypesFile[]): void {
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
  const declarePart = (name: "spec" | "status"): string | undefined => {
    const schema = root.properties?.[name];
    if (!schema) return undefined;
    writer.reportLostOfPart(schema, `.${name}`);
    return writer.interface(schema, kind + (name === "spec" ? "Spec" : "Status"), `.${name}`);
  };
  const [spec, status] = [declarePart("spec"), declarePart("status")];
  const markers = [...kindMarkers(crd, version), ...schemaMarkers(root, { format: false, pattern: false })];
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

const preserveUnknownFields = "+kubebuilder:pruning:PreserveUnknownFields";

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

  /** Declares an interface for an object, and returns its name: the preferred one, or that with a number. */
  interface(schema: JSONSchema, preferredName: string, path: string): string {
    const name = this.#freeName(preferredName);
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {}).map(([field, property]) => {
      const at = `${path}.${field}`;
      const { type, markers } = this.#field(property, name + toPascalCase(field), at);
      const key = /^[A-Za-z_$][\w$]*$/u.test(field) ? field : stringLiteral(field);
      const comment = commentLines(property.description, markers, "  ");
      return `${comment}  ${key}${required.has(field) ? "" : "?"}: ${type};\n`;
    });
    const markers = schemaMarkers(schema, { format: false, pattern: false });
    if (schema["x-kubernetes-preserve-unknown-fields"]) markers.push(preserveUnknownFields);
    this.#reportLost(schema, path);
    const comment = commentLines(schema.description, markers, "");
    this.#declarations.push(`${comment}export interface ${name} {\n${members.join("")}}\n`);
    return name;
  }

  /** The type of a field, and the markers above it. */
  #field(schema: JSONSchema, preferredName: string, path: string): { type: string; markers: string[] } {
    const undescribed = { ...schema };
    const { example } = schema;
    if (example !== undefined && exampleMarker(example) === undefined) this.lost.push(`${path}: example`);
    // The description and rules are at the field; its type only describes the structure.
    delete undescribed.description;
    const hasFields = schema.type === "object" && schema.properties !== undefined;
    if (hasFields) {
      const { properties, required, type } = schema;
      const name = this.interface(
        { type, properties, ...(required ? { required } : {}) } as JSONSchema,
        preferredName,
        path,
      );
      const markers = [
        ...schemaMarkers(undescribed, { format: false, pattern: false }),
        ...fieldMarkers(schema),
      ];
      if (schema["x-kubernetes-preserve-unknown-fields"]) markers.push(preserveUnknownFields);
      this.#reportLost(schema, path);
      return { type: nullable(name, schema), markers };
    }
    const { type, format, pattern, markers: typeMarkers } = this.#writeType(schema, preferredName, path);
    this.#reportLost(schema, path);
    const markers = [
      ...typeMarkers,
      ...schemaMarkers(undescribed, { format, pattern }),
      ...fieldMarkers(schema),
    ];
    return { type: nullable(type, schema), markers };
  }

  /** Writes the type of anything but an object with fields. */
  #writeType(schema: JSONSchema, preferredName: string, path: string): WrittenType {
    const written = this.#writeStructure(schema, preferredName, path);
    const markers = [...written.markers];
    if (schema["x-kubernetes-preserve-unknown-fields"] && !written.impliesUnknownFields)
      markers.push(preserveUnknownFields);
    if (schema.enum && !written.impliesEnum) {
      const isWritable = schema.enum.every((item) => ["string", "number", "boolean"].includes(typeof item));
      if (isWritable) markers.push(`+kubebuilder:validation:Enum=${schema.enum.map(markerValue).join(";")}`);
      else this.lost.push(`${path}: enum`);
    }
    return { ...written, markers };
  }

  #writeStructure(schema: JSONSchema, preferredName: string, path: string): WrittenType {
    const items = itemsOf(schema);
    if (schema.type === "array" && items)
      return withoutMarkers(`${this.#elementType(items, `${preferredName}Item`, path)}[]`);
    const values = valuesOf(schema);
    if (schema.type === "object" && values) {
      return withoutMarkers(`Record<string, ${this.#elementType(values, `${preferredName}Value`, path)}>`);
    }
    if (schema["x-kubernetes-int-or-string"]) return this.#intOrString(schema);
    if (schema["x-kubernetes-preserve-unknown-fields"]) {
      if (schema.type === undefined) return { ...this.#runtimeType("JSONValue"), impliesUnknownFields: true };
      if (schema.type === "object")
        return { ...this.#runtimeType("RawExtension"), impliesUnknownFields: true };
    }
    const literals = literalsOf(schema);
    return literals ? { ...withoutMarkers(literals), impliesEnum: true } : this.#scalar(schema);
  }

  #scalar(schema: JSONSchema): WrittenType {
    const { type, format } = schema;
    if (type === "boolean") return withoutMarkers("boolean");
    if (type === "integer" && (format === "int32" || format === "int64")) {
      return { ...this.#runtimeType(format), format: true };
    }
    if (type === "integer")
      return { ...withoutMarkers("number"), markers: ["+kubebuilder:validation:Type=integer"] };
    if (type === "number") return this.#runtimeType("float64");
    if (type === "string")
      return format === "date-time"
        ? { ...this.#runtimeType("Time"), format: true }
        : withoutMarkers("string");
    if (type === "object") return withoutMarkers("{}");
    return { ...withoutMarkers("unknown"), markers: ["+kubebuilder:validation:Schemaless"] };
  }

  #intOrString(schema: JSONSchema): WrittenType {
    if (schema.anyOf === undefined) {
      const type = schema.type === "string" ? "string" : "unknown";
      return { ...withoutMarkers(type), markers: ["+kubebuilder:validation:XIntOrString"] };
    }
    if (schema.pattern === quantityPattern) return { ...this.#runtimeType("Quantity"), pattern: true };
    return this.#runtimeType("IntOrString");
  }

  /** Writes the type of a list's element or a map's value: an alias if it has markers or a description. */
  #elementType(schema: JSONSchema, preferredName: string, path: string): string {
    const at = `${path}[]`;
    // The markers for these keywords only apply to fields.
    for (const key of ["default", "example"] as const)
      if (schema[key] !== undefined) this.lost.push(`${at}: ${key}`);
    if (schema.type === "object" && schema.properties) {
      return inParentheses(nullable(this.interface(schema, preferredName, at), schema));
    }
    const { type, format, pattern, markers: typeMarkers } = this.#writeType(schema, preferredName, at);
    this.#reportLost(schema, at);
    const markers = [...typeMarkers, ...schemaMarkers(schema, { format, pattern })];
    if (markers.length === 0 && schema.description === undefined) {
      return inParentheses(nullable(type, schema));
    }
    const name = this.#freeName(preferredName);
    const comment = commentLines(schema.description, markers, "");
    this.#declarations.push(`${comment}export type ${name} = ${nullable(type, schema)};\n`);
    return name;
  }

  #runtimeType(name: string): WrittenType {
    this.runtimeNames.add(name);
    return withoutMarkers(name);
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
      if (schema[key] && !(key === "allOf" && schema.nullable && literalsOf(schema)))
        this.lost.push(`${path}: ${key}`);
    }
    if (schema.anyOf && !schema["x-kubernetes-int-or-string"]) this.lost.push(`${path}: anyOf`);
    const isUnsafe = typeof schema.default === "number" && Math.abs(schema.default) > Number.MAX_SAFE_INTEGER;
    if (isUnsafe) this.lost.push(`${path}: the last digits of its default`);
    if (!isWritable(schema.description)) this.lost.push(`${path}: description`);
  }

  #freeName(preferredName: string): string {
    let name = preferredName;
    for (let i = 2; this.#names.has(name); i++) name = `${preferredName}${i}`;
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

/** A TypeScript type for a schema. */
interface WrittenType {
  readonly type: string;
  /** True if the generators derive the keyword from the type, so that it needs no marker. */
  readonly impliesEnum?: boolean;
  readonly impliesUnknownFields?: boolean;
  readonly format: boolean;
  readonly pattern: boolean;
  /** The markers without which the generators would derive another schema from the type. */
  readonly markers: readonly string[];
}

function withoutMarkers(type: string): WrittenType {
  return { type, format: false, pattern: false, markers: [] };
}

/** Writes an enum as a union of literals; undefined if the generators would derive another schema from the union. */
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

/** Returns the values beside null. The generators write them as the only branch of `allOf`: see `orNull`. */
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
function toPascalCase(name: string): string {
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
