import type { BuiltinResource } from "../builtin-resource.ts";
import { elementOf, type Model, type ModelField, type ModelType } from "./model.ts";
import { meta, ModuleImports, shared } from "./module-imports.ts";
import { groupByModule } from "./write-tables.ts";

/** The files of `k8s`: the interfaces of each group and version, and a Kind value for each of its kinds. */
export function writeTypeModules(model: Model, resources: readonly BuiltinResource[]): Map<string, string> {
  return new Map(
    [...groupByModule(model)].map(([module, types]) => [
      `${module}.ts`,
      writeModule(module, types, new Map(resources.map((resource) => [resource.type, resource]))),
    ]),
  );
}

/** The files of `src/runtime/k8s`, from which users import what stands in apimachinery. */
export function writeReexports(model: Model): Map<string, string> {
  return new Map(
    [...groupByModule(model).keys()].map((module) => [
      `${module}.ts`,
      `// Made by \`npm run tables\`.\nexport * from "@tsbuilder/apimachinery/k8s/${module}";\n`,
    ]),
  );
}

function writeModule(
  module: string,
  types: readonly ModelType[],
  kinds: ReadonlyMap<string, BuiltinResource>,
): string {
  const imports = new ModuleImports(module, new Set(types.map((type) => type.name)), new Set(kinds.keys()));
  const blocks = types.map((type) => {
    if (shared.has(`${module}.${type.name}`)) return `export type { ${type.name} } from "${meta}";\n`;
    const resource = kinds.get(`${module}.${type.name}`);
    return writeInterface(type, imports) + (resource ? writeKind(resource, imports) : "");
  });
  return `${header}\n${imports.write()}\n${blocks.join("\n")}`;
}

const header = `// Made by \`npm run tables\` from the Kubernetes API, whose descriptions are its authors' (Apache-2.0; see NOTICE).`;

function writeInterface(type: ModelType, imports: ModuleImports): string {
  const isList = type.name.endsWith("List") && type.fields.some((field) => field.name === "items");
  if (isList) {
    const items = elementOf(type.fields.find((field) => field.name === "items")!.type);
    if (items !== "meta/v1.APIGroup") {
      const list = imports.meta("KubernetesList");
      return `${comment(type.description, "")}export type ${type.name} = ${list}<${imports.type(items)}>;\n`;
    }
  }
  const names = new Set(type.fields.map((field) => field.name));
  const isKind = names.has("kind") && names.has("metadata");
  const fields = isKind ? type.fields.filter((field) => !envelope.has(field.name)) : type.fields;
  const heritage = isKind ? ` extends ${imports.meta("KubernetesObject")}` : "";
  const lines = fields.map((field) => writeField(field, imports));
  return `${comment(type.description, "")}export interface ${type.name}${heritage} {\n${lines.join("")}}\n`;
}

const envelope = new Set(["apiVersion", "kind", "metadata"]);

function writeField(field: ModelField, imports: ModuleImports): string {
  const name = /^[A-Za-z_$][\w$]*$/u.test(field.name) ? field.name : JSON.stringify(field.name);
  const type = writeType(field.type, field.enum, imports);
  return (
    comment(field.description, "  ") +
    (field.required ? `  ${name}: ${type};\n` : `  ${name}?: ${type} | undefined;\n`)
  );
}

function writeType(type: string, values: readonly string[] | undefined, imports: ModuleImports): string {
  if (type.startsWith("[]")) {
    const item = writeType(type.slice(2), values, imports);
    return / [|&] /u.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (type.startsWith("{}")) return `{ [key: string]: ${writeType(type.slice(2), values, imports)} }`;
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  return imports.value(type);
}

function writeKind(resource: BuiltinResource, imports: ModuleImports): string {
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
