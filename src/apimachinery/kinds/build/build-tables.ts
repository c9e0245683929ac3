import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readDeclarations } from "./read-declarations.ts";
import { writeReexports, writeTypeModules } from "./write-type-modules.ts";
import { writeTables } from "./write-tables.ts";
import { type Model, type ModelField, type ModelType, elementOf } from "./model.ts";
import { type Scope, parseApiVersion } from "../../meta/index.ts";
import type { BuiltinResource, BuiltinSubresource, PrinterColumn, Verb } from "../builtin-resource.ts";
import { moduleOf } from "../module-name.ts";
import { columns } from "./overlay/columns.ts";
import { discovery } from "./overlay/discovery.ts";
import { fieldSelectors, registryRules, sharedStorage } from "./overlay/registry.ts";

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
 * `npm run tables`: generates the tables of built-in kinds and their TypeScript types from two npm packages and the
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
