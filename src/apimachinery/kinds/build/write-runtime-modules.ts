import type { BuiltinResource } from "../builtin-resource.ts";
import { elementOf, isNamed, type Model, type ModelField, type ModelType } from "./model.ts";
import { groupByModule } from "./write-tables.ts";

/** The files of `src/runtime/k8s`: the interfaces of each group and version, and a Kind value for each of its kinds. */
export function writeRuntimeModules(
  model: Model,
  resources: readonly BuiltinResource[],
): Map<string, string> {
  return new Map(
    [...groupByModule(model)].map(([module, types]) => [
      `${module}.ts`,
      writeModule(module, types, new Map(resources.map((resource) => [resource.type, resource]))),
    ]),
  );
}

function writeModule(
  module: string,
  types: readonly ModelType[],
  kinds: ReadonlyMap<string, BuiltinResource>,
): string {
  const imports = new Imports(module, new Set(types.map((type) => type.name)));
  const blocks = types.map((type) => {
    if (SHARED.has(`${module}.${type.name}`)) return `export type { ${type.name} } from "${META}";\n`;
    const resource = kinds.get(`${module}.${type.name}`);
    return writeInterface(type, resource, imports) + (resource ? writeKind(resource, imports) : "");
  });
  return `${HEADER}\n${imports.write()}\n${blocks.join("\n")}`;
}

const META = "@tsbuilder/apimachinery/meta";

const HEADER = `// Made by \`npm run tables\` from the Kubernetes API, whose descriptions are its authors' (Apache-2.0; see NOTICE).`;

/** Types that apimachinery declares by hand, because the runtime's own code uses them. */
const SHARED = new Set(
  [
    "Condition",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Status",
    "StatusCause",
    "StatusDetails",
  ].map((name) => `meta/v1.${name}`),
);

function writeInterface(type: ModelType, resource: BuiltinResource | undefined, imports: Imports): string {
  const isList = type.name.endsWith("List") && type.fields.some((field) => field.name === "items");
  if (isList) {
    const items = elementOf(type.fields.find((field) => field.name === "items")!.type);
    if (items !== "meta/v1.APIGroup") {
      const list = imports.meta("KubernetesList");
      return `${comment(type.description, "")}export type ${type.name} = ${list}<${imports.type(items)}>;\n`;
    }
  }
  const isObject = type.fields.some(
    (field) => field.type === "meta/v1.ObjectMeta" && field.name === "metadata",
  );
  const isKind = isObject && type.fields.some((field) => field.name === "kind") && !isTemplate(type);
  const fields = isKind ? type.fields.filter((field) => !ENVELOPE.has(field.name)) : type.fields;
  const heritage = isKind ? ` extends ${imports.meta("KubernetesObject")}` : "";
  const lines = fields.map((field) => writeField(field, imports));
  return `${comment(type.description, "")}export interface ${type.name}${heritage} {\n${lines.join("")}}\n`;
}

const ENVELOPE = new Set(["apiVersion", "kind", "metadata"]);

/** A claim in a stateful set is written without apiVersion and kind, but it is the same type as the kind. */
function isTemplate(type: ModelType): boolean {
  return type.name.endsWith("Template") && type.fields.every((field) => field.name !== "kind");
}

function writeField(field: ModelField, imports: Imports): string {
  const name = /^[A-Za-z_$][\w$]*$/u.test(field.name) ? field.name : JSON.stringify(field.name);
  const type = writeType(field.type, field.enum, imports);
  return (
    comment(field.description, "  ") +
    (field.required ? `  ${name}: ${type};\n` : `  ${name}?: ${type} | undefined;\n`)
  );
}

function writeType(type: string, values: readonly string[] | undefined, imports: Imports): string {
  if (type.startsWith("[]")) {
    const item = writeType(type.slice(2), values, imports);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (type.startsWith("{}")) return `{ [key: string]: ${writeType(type.slice(2), values, imports)} }`;
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  return imports.type(type);
}

/** Collects what a module imports; a name that the module declares itself is imported under another. */
class Imports {
  readonly #module: string;
  readonly #own: ReadonlySet<string>;
  readonly #bySource = new Map<string, Map<string, string>>();
  #definesKinds = false;

  constructor(module: string, own: ReadonlySet<string>) {
    this.#module = module;
    this.#own = own;
  }

  type(type: string): string {
    const plain = PRIMITIVES[type];
    if (plain !== undefined) return plain;
    if (type.startsWith("JSONSchemaProps")) return UNIONS[type] ?? this.meta("JSONValue");
    if (!isNamed(type)) return this.meta(META_NAMES[type] ?? type);
    const [module = "", name = ""] = type.split(".");
    if (SHARED.has(type)) return this.meta(name);
    if (module === this.#module) return name;
    const [group, version] = module.split("/");
    return this.#add(`../${group}/${version}.ts`, name, group!);
  }

  meta(name: string): string {
    return this.#add(META, name, "meta");
  }

  defineKind(): string {
    this.#definesKinds = true;
    return "defineKind";
  }

  write(): string {
    const lines = [...this.#bySource]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([source, names]) => {
        const list = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
        const specifiers = list.map(([name, local]) => (name === local ? name : `${name} as ${local}`));
        return `import type { ${specifiers.join(", ")} } from "${source}";\n`;
      });
    const values = this.#definesKinds ? `import { defineKind } from "${META}";\n` : "";
    return values + lines.join("");
  }

  #add(source: string, name: string, group: string): string {
    const taken = this.#own.has(name);
    const local = taken ? group.slice(0, 1).toUpperCase() + group.slice(1) + name : name;
    const names = this.#bySource.get(source) ?? new Map<string, string>();
    this.#bySource.set(source, names.set(name, local));
    return local;
  }
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  boolean: "boolean",
  byte: "string",
  double: "number",
  int32: "number",
  int64: "number",
  string: "string",
};

/** Types of custom resource definitions that are one of two forms. */
const UNIONS: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | string[]",
};

/** Scalars whose name in apimachinery is another one. */
const META_NAMES: Readonly<Record<string, string>> = { FieldsV1: "RawExtension", JSON: "JSONValue" };

function writeKind(resource: BuiltinResource, imports: Imports): string {
  const { group, version, kind, plural, scope } = resource;
  const definition = [
    `kind: "${kind}"`,
    `plural: "${plural}"`,
    ...(scope === "Cluster" ? [`scope: "Cluster"`] : []),
  ];
  return [
    `export const ${kind}: ${imports.meta("Kind")}<${kind}> = ${imports.defineKind()}<${kind}>(`,
    `  { group: "${group}", version: "${version}" },`,
    `  { ${definition.join(", ")} },`,
    ");",
    "",
  ].join("\n");
}

function comment(text: string, indent: string): string {
  if (text === "") return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
