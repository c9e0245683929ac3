import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A Kubernetes type as described by the npm packages; tables and TypeScript types are generated from it. */
export interface ModelType {
  /** `core/v1` */
  readonly module: string;
  /** `PodSpec` */
  readonly name: string;
  readonly description: string;
  readonly fields: readonly ModelField[];
}

/** A field of a type. */
export interface ModelField {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  /**
   * A scalar (`string`, `int32`, `Quantity` …) or the name of a type (`core/v1.PodSpec`), after `[]` for each list and
   * `{}` for each map around it.
   */
  readonly type: string;
  /** The known values of a string. */
  readonly enum?: readonly string[];
}

/** All types by name: `core/v1.PodSpec`. */
export type Model = ReadonlyMap<string, ModelType>;

/** Strips the list and map prefixes from a field's type. */
export function elementOf(type: string): string {
  return type.replace(/^(?:\[\]|\{\})+/u, "");
}

/** Returns true for the name of a type, false for a scalar. */
export function isNamed(type: string): boolean {
  return type.includes(".");
}

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
  return describeTypeFields(model);
}

const typeFields = new Set(["apiVersion", "kind"]);

/** Kinds inherit apiVersion and kind without descriptions; `meta/v1.DeleteOptions` has them. */
function describeTypeFields(model: ReadonlyMap<string, ModelType>): Model {
  const { fields = [] } = model.get("meta/v1.DeleteOptions") ?? {};
  const descriptions = new Map(fields.map(({ name, description }) => [name, description]));
  const describe = (field: ModelField): ModelField =>
    typeFields.has(field.name) && field.description === ""
      ? { ...field, description: descriptions.get(field.name) ?? "" }
      : field;
  return new Map([...model].map(([name, type]) => [name, { ...type, fields: type.fields.map(describe) }]));
}

const importPattern = /^import \{ (\w+) \} from "([^"]+)";$/gmu;

/** A field with its comment; the type of a map spans three lines. */
const fieldPattern =
  /(?: {4}\/\*\*\n((?: {5}\*.*\n)*?) {5}\*\/\n)? {4}"([^"]+)"(\??): ((?:Array<)?\{\n[\s\S]*?\n {4}\}>?|[^;\n]+);\n/gu;

function readDeclaration(nodeModules: string, typeName: string): ModelType {
  const [module = "", name = ""] = typeName.split(".");
  const file = findDeclarationFile(nodeModules, module, name);
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

function readField(match: RegExpMatchArray, imports: ReadonlyMap<string, string>): ModelField {
  const [, comment = "", name = "", optional = "", typeText = ""] = match;
  const description = unwrapComment(comment);
  const values = [...typeText.matchAll(/"([^"]*)"/gu)].map(([, value = ""]) => value);
  // The package types a kind's own apiVersion and kind as constants; in JSON they may be omitted.
  if (values.length === 1 && typeFields.has(name)) {
    return { name, required: false, description, type: "string" };
  }
  const type = readType(typeText, imports);
  const required = optional === "";
  return values.length > 0 && elementOf(type) === "string"
    ? { name, required, description, type, enum: values }
    : { name, required, description, type };
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

/** Converts a TypeScript type to the notation of `ModelField.type`. */
function readType(typeText: string, imports: ReadonlyMap<string, string>): string {
  const text = typeText.replaceAll(/\s+/gu, " ");
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

/** Types that are a JSON value or a union, not an object with fields: they have no module in the model. */
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

function findDeclarationFile(nodeModules: string, module: string, name: string): string {
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

/** Returns the text of a comment, without the list of enum values, which the type has anyway. */
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

/**
 * Adds the formats of numbers and strings to a model, from the models of Kubernetes' own client.
 * Both packages must describe the same release: the build fails if the fields of a type differ.
 */
export function addFormats(nodeModules: string, model: Model): Model {
  const folder = join(nodeModules, "@kubernetes/client-node/dist/gen/models");
  return new Map(
    [...model].map(([name, type]) => [name, addFieldFormats(type, readAttributes(folder, type))]),
  );
}

/** A field in the models of Kubernetes' client. */
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

function addFieldFormats(type: ModelType, attributes: ReadonlyMap<string, Attribute> | undefined): ModelType {
  const typeName = `${type.module}.${type.name}`;
  const numbers = type.fields.filter((field) => elementOf(field.type) === "number");
  if (!attributes) {
    if (numbers.length === 0) return type;
    throw new Error(`@kubernetes/client-node has no ${typeName}: the format of its numbers is unknown`);
  }
  const joinSorted = (names: string[]): string => names.sort().join(" ");
  const fields = joinSorted(type.fields.map(({ name }) => name));
  const others = joinSorted([...attributes.keys()]);
  if (fields !== others) throw new Error(`the two packages disagree on ${typeName}: ${fields} / ${others}`);
  return { ...type, fields: type.fields.map((field) => addFormat(field, attributes.get(field.name)!)) };
}

function addFormat(field: ModelField, { format }: Attribute): ModelField {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  if (element === "number") return { ...field, type: prefix + (format || "number") };
  if (element === "string" && format === "byte") return { ...field, type: `${prefix}byte` };
  return field;
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
