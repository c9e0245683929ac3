import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReexports, writeTypeModules } from "./write-type-modules.ts";
import { writeTables } from "./write-tables.ts";
import { type Model, type ModelField, type ModelType, elementOf, isNamed } from "./model.ts";
import { type Scope, parseApiVersion } from "../../meta/index.ts";
import type { BuiltinResource, BuiltinSubresource, PrinterColumn, Verb } from "../builtin-resource.ts";
import { moduleOf } from "../module-name.ts";
import { columns } from "./overlay/columns.ts";
import { discovery } from "./overlay/discovery.ts";
import { fieldSelectors, registryRules, sharedStorage } from "./overlay/registry.ts";

/**
 * Reads the declarations of some types, and of all types that they refer to, from kubernetes-models.
 * That package has structure, descriptions and enums, but no number formats.
 */
export function readDeclarations(nodeModules: string, roots: Iterable<string>): Model {
  const model = new Map<string, ModelType>();
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (model.has(name)) continue;
    const type = readDeclaration(nodeModules, name);
    model.set(name, type);
    pending.push(...type.fields.map((field) => elementOf(field.type)).filter(isNamed));
  }
  return describeEnvelopes(model);
}

/** Kinds inherit apiVersion and kind without descriptions; they are copied from a type of meta/v1 that has them. */
function describeEnvelopes(model: ReadonlyMap<string, ModelType>): Model {
  const written = model.get("meta/v1.DeleteOptions")?.fields ?? [];
  const texts = new Map(written.map(({ name, description }) => [name, description]));
  const describe = (field: ModelField): ModelField =>
    envelope.has(field.name) && field.description === ""
      ? { ...field, description: texts.get(field.name) ?? "" }
      : field;
  return new Map([...model].map(([name, type]) => [name, { ...type, fields: type.fields.map(describe) }]));
}

const envelope = new Set(["apiVersion", "kind"]);

function readDeclaration(nodeModules: string, typeName: string): ModelType {
  const [module = "", name = ""] = typeName.split(".");
  const file = fileOf(nodeModules, module, name);
  const text = readFileSync(file, "utf8");
  const start = new RegExp(`^export interface I${name} .*\\{\\n`, "mu").exec(text);
  if (!start) throw new Error(`${file} declares no interface I${name}`);
  const imports = new Map([[`I${name}`, typeName]]);
  for (const [, identifier = "", from = ""] of text.matchAll(importPattern)) {
    imports.set(identifier, typeNameOf(nodeModules, file, from));
  }
  const body = text.slice(start.index + start[0].length, text.indexOf("\n}", start.index));
  const description = /\/\*\*\n((?: \*.*\n)*) \*\/\n$/u.exec(text.slice(0, start.index))?.[1] ?? "";
  const fields = [...`${body}\n`.matchAll(fieldPattern)].map((match) => readField(match, imports));
  return { module, name, description: unwrapComment(description), fields };
}

const importPattern = /^import \{ (\w+) \} from "([^"]+)";$/gmu;

/** A field with its comment; the type of a map spans three lines. */
const fieldPattern =
  /(?: {4}\/\*\*\n((?: {5}\*.*\n)*?) {5}\*\/\n)? {4}"([^"]+)"(\??): ((?:Array<)?\{\n[\s\S]*?\n {4}\}>?|[^;\n]+);\n/gu;

function readField(match: RegExpMatchArray, imports: ReadonlyMap<string, string>): ModelField {
  const [, comment = "", name = "", optional = "", written = ""] = match;
  const description = unwrapComment(comment);
  const values = [...written.matchAll(/"([^"]*)"/gu)].map(([, value = ""]) => value);
  // The package types a kind's own apiVersion and kind as constants; in JSON they may be omitted.
  if (values.length === 1 && envelope.has(name)) {
    return { name, required: false, description, type: "string" };
  }
  const type = readType(written, imports);
  const required = optional === "";
  return values.length > 0 && elementOf(type) === "string"
    ? { name, required, description, type, enum: values }
    : { name, required, description, type };
}

function readType(written: string, imports: ReadonlyMap<string, string>): string {
  const text = written.replaceAll(/\s+/gu, " ");
  if (inlineClaim.test(text)) return "[]core/v1.PersistentVolumeClaim";
  const list = /^Array<(.*)>$/u.exec(text);
  if (list) return `[]${readType(list[1]!, imports)}`;
  const map = /^\{ \[key: string\]: (.*); \}$/u.exec(text);
  if (map) return `{}${readType(map[1]!, imports)}`;
  if (/^"[^"]*"(?: \| "[^"]*")*$/u.test(text)) return "string";
  const type = imports.get(text) ?? primitives.get(text);
  if (type === undefined) throw new Error(`unknown type ${text}`);
  return type;
}

/** The package inlines the claim templates of a StatefulSet, because they need neither apiVersion nor kind. */
const inlineClaim = /^Array<\{.*"spec"\?: IIoK8sApiCoreV1PersistentVolumeClaimSpec;.*\}>$/u;

const primitives = new Map([
  ["string", "string"],
  ["number", "number"],
  ["boolean", "boolean"],
  ["unknown", "JSON"],
  ["any", "JSON"],
  ["{}", "object"],
]);

/** Types that are a JSON value or a union, not an object with fields. */
const scalars = new Set(
  [
    "FieldsV1 IntOrString MicroTime Patch Quantity RawExtension Time",
    "JSON JSONSchemaPropsOrArray JSONSchemaPropsOrBool JSONSchemaPropsOrStringArray",
  ].flatMap((names) => names.split(" ")),
);

function typeNameOf(nodeModules: string, file: string, from: string): string {
  const path = from.startsWith(".") ? resolve(dirname(file), from) : join(nodeModules, from);
  const parts = path.replace(/\.js$/u, "").split("/");
  const [group = "", version = "", name = ""] = parts.slice(-3);
  if (scalars.has(name)) return name;
  // The core group has no folder.
  const module = group === "kubernetes-models" ? "core" : (group.split(".")[0] ?? group);
  return `${module}/${version}.${name}`;
}

function fileOf(nodeModules: string, module: string, name: string): string {
  const [group = "", version = ""] = module.split("/");
  if (group === "meta") {
    return join(nodeModules, "@kubernetes-models/apimachinery/apis", module, `${name}.d.ts`);
  }
  const suffixes = ["", ".k8s.io", ".authorization.k8s.io", ".apiserver.k8s.io"];
  const folders = group === "core" ? [version] : suffixes.map((suffix) => join(group + suffix, version));
  const files = folders.map((folder) => join(nodeModules, "kubernetes-models", folder, `${name}.d.ts`));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error(`kubernetes-models has no ${module}.${name}`);
  return file;
}

/** Strips the comment's delimiters, and the list of values that the type has anyway. */
function unwrapComment(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.replace(/^ *\* ?/u, ""))
    .join("\n")
    .replaceAll("\\*", "*")
    .replaceAll("*\\/", "*/")
    .replace(/\n\nPossible enum values:\n[\s\S]*/u, "")
    .trim();
}

/** Builds the list of resources from the overlay, in the order of discovery. */
export function buildResources(): BuiltinResource[] {
  const resources: BuiltinResource[] = [];
  const preferred = new Map<string, string>();
  let apiVersion = "";
  for (const line of discovery.trim().split("\n")) {
    if (line.startsWith(" ")) {
      resources.push(buildResource(apiVersion, preferred.get(apiVersion) === apiVersion, line.trim()));
      continue;
    }
    apiVersion = line;
    // Discovery lists a group's preferred version first.
    const { group } = parseApiVersion(apiVersion);
    if (!preferred.has(group)) preferred.set(group, apiVersion).set(apiVersion, apiVersion);
  }
  return resources;
}

function buildResource(apiVersion: string, isPreferred: boolean, line: string): BuiltinResource {
  const [kind = "", plural = "", scope = "", ...words] = line.split(" ");
  const { group, version } = parseApiVersion(apiVersion);
  const key = `${apiVersion} ${plural}`;
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const verbs = (option("verbs")?.split(",") as Verb[] | undefined) ?? allVerbs;
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind: verbs.includes("list") ? `${kind}List` : undefined,
    plural,
    singular: option("singular") ?? kind.toLowerCase(),
    scope: scope as Scope,
    shortNames: option("short")?.split(",") ?? [],
    categories: option("in")?.split(",") ?? [],
    verbs,
    subresources: words
      .filter((word) => word.startsWith("/"))
      .map((word) => buildSubresource(word, { group, version, kind })),
    type: `${moduleOf({ group, version })}.${kind}`,
    isPreferred,
    storage: parseApiVersion(sharedStorage[key] ?? apiVersion),
    storageVersionHash: option("hash"),
    fieldSelectors: fieldSelectors[key] ?? [],
    columns: (columns[key]?.split(", ") ?? []).map(buildColumn),
    rules: {
      hasGeneration: false,
      allowsUnconditionalUpdate: true,
      allowsCreateOnUpdate: false,
      defaultPropagation: "Background",
      ...registryRules[key],
    },
  };
}

const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

function buildSubresource(
  word: string,
  parent: { group: string; version: string; kind: string },
): BuiltinSubresource {
  const [, name = "", type = "", verbs] = /^\/(\w+)(?::([\w./]+))?(?:\((.*)\))?$/u.exec(word) ?? [];
  const slash = type.lastIndexOf("/");
  const own = slash === -1 ? { group: parent.group, version: parent.version } : undefined;
  return {
    name,
    ...(own ?? parseApiVersion(type.slice(0, slash))),
    kind: type.slice(slash + 1) || parent.kind,
    verbs: (verbs?.split(",") as Verb[] | undefined) ?? ["get", "patch", "update"],
  };
}

function buildColumn(text: string): PrinterColumn {
  const [, name = "", type = "string", format = "", wide = ""] =
    /^([^:/+]+)(?::(\w+))?(?:\/(\w+))?(\+)?$/u.exec(text) ?? [];
  return { name, type: type as PrinterColumn["type"], format, priority: wide ? 1 : 0 };
}

/** The types that the tables must include: all kinds, their lists, and the other bodies of requests and responses. */
export function rootTypes(resources: readonly BuiltinResource[]): string[] {
  const ofKinds = resources.flatMap(({ group, version, type, listKind, subresources }) => [
    type,
    ...(listKind ? [`${moduleOf({ group, version })}.${listKind}`] : []),
    ...subresources
      .filter(({ kind }) => !kind.endsWith("Options"))
      .map((subresource) => `${moduleOf(subresource)}.${subresource.kind}`),
  ]);
  return [...ofKinds, ...metaTypes.map((name) => `meta/v1.${name}`)];
}

/** Types of request and response bodies that no kind refers to. */
const metaTypes = ["APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status", "WatchEvent"];

/**
 * `npm run lab -- tables`: generates the tables of built-in kinds and their TypeScript types from two npm packages and the
 * overlay. Offline and deterministic; the output is not committed, because it contains Kubernetes' own descriptions.
 */
const root = fileURLToPath(new URL("../../../..", import.meta.url));

const nodeModules = join(root, "node_modules");

const resources = buildResources();

const model = addFormats(nodeModules, readDeclarations(nodeModules, rootTypes(resources)));

/**
 * Adds the formats of numbers and strings to a model, from the models of Kubernetes' own client.
 * Both packages must describe the same release: the build fails if the fields of a type differ.
 */
export function addFormats(nodeModules: string, model: Model): Model {
  const folder = join(nodeModules, "@kubernetes/client-node/dist/gen/models");
  return new Map([...model].map(([name, type]) => [name, formatType(type, readAttributes(folder, type))]));
}

interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

function readAttributes(
  folder: string,
  { module, name }: ModelType,
): ReadonlyMap<string, Attribute> | undefined {
  const [group = "", version = ""] = module.split("/");
  const prefixes = [capitalize(group) + capitalize(version), capitalize(version)];
  const files = prefixes.map((prefix) => join(folder, `${prefix}${name}.js`));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) return undefined;
  // Parsed as JSON, because importing the module would load the whole client.
  const list = /\.attributeTypeMap = (\[[\s\S]*?\n\]);/u.exec(readFileSync(file, "utf8"))?.[1] ?? "[]";
  const attributes = JSON.parse(list) as Attribute[];
  return new Map(attributes.map((attribute) => [attribute.baseName, attribute]));
}

function formatType(type: ModelType, attributes: ReadonlyMap<string, Attribute> | undefined): ModelType {
  const typeName = `${type.module}.${type.name}`;
  const numbers = type.fields.filter((field) => elementOf(field.type) === "number");
  if (!attributes) {
    if (numbers.length === 0) return type;
    throw new Error(`@kubernetes/client-node has no ${typeName}: the format of its numbers is unknown`);
  }
  const written = type.fields
    .map((field) => field.name)
    .toSorted()
    .join(" ");
  const expected = [...attributes.keys()].toSorted().join(" ");
  if (written !== expected)
    throw new Error(`the two packages disagree on ${typeName}: ${written} / ${expected}`);
  return { ...type, fields: type.fields.map((field) => formatField(field, attributes.get(field.name)!)) };
}

function formatField(field: ModelField, { format }: Attribute): ModelField {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  if (element === "number") return { ...field, type: prefix + (format || "number") };
  if (element === "string" && format === "byte") return { ...field, type: `${prefix}byte` };
  return field;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

writeFolder(join(root, "src/apimachinery/kinds/generated"), writeTables(model, resources));

writeFolder(join(root, "src/apimachinery/k8s"), writeTypeModules(model, resources));

writeFolder(join(root, "src/runtime/k8s"), writeReexports(model));

/** Doesn't touch files that are up to date, so that compilers and watchers see no change; removes obsolete files. */
function writeFolder(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".ts") && !files.has(name)) rmSync(join(folder, name));
  }
  for (const [name, content] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, "utf8") === content) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
