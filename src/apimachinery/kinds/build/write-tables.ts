import type { BuiltinResource } from "../builtin-resource.ts";
import { elementOf, isNamed, type Model, type ModelField, type ModelType } from "./model.ts";
import { fieldFacts } from "./overlay/fields.ts";
import { numberFields } from "./number-fields.ts";

/** The files of `kinds/generated`, by name. The tables are strings: they compile and load faster than objects. */
export function writeTables(model: Model, resources: readonly BuiltinResource[]): Map<string, string> {
  checkFacts(model);
  const modules = groupByModule(model);
  const files = new Map([["resources.ts", textFile(resources)]]);
  for (const [module, types] of modules) {
    files.set(`${fileName(module)}.ts`, textFile(toTable(types)));
    files.set(`${fileName(module)}-descriptions.ts`, textFile(toDescriptions(types)));
    files.set(`${fileName(module)}-numbers.ts`, textFile(numberFields(types)));
  }
  return files.set("modules.ts", modulesFile(modules, model));
}

/** Types by module, both sorted: what is written must not depend on the order of reading. */
export function groupByModule(model: Model): Map<string, ModelType[]> {
  const modules = new Map<string, ModelType[]>();
  for (const type of [...model.values()].sort((a, b) => compare(a.name, b.name))) {
    modules.set(type.module, [...(modules.get(type.module) ?? []), type]);
  }
  return new Map([...modules].sort(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A fact about a field that is gone would go unnoticed. */
function checkFacts(model: Model): void {
  for (const key of Object.keys(fieldFacts)) {
    const [module, name, field] = key.split(/\.(?=[A-Z])|\.(?=[^.]*$)/u);
    const type = model.get(`${module}.${name}`);
    if (!type || (field !== undefined && !type.fields.some((known) => known.name === field))) {
      throw new Error(`the overlay has facts about ${key}, which is not in the sources`);
    }
  }
}

type Table = Record<string, Record<string, string>>;

function toTable(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const own = fieldFacts[`${type.module}.${type.name}`];
      const fields = type.fields.map((field) => [
        field.name + (field.required ? "!" : ""),
        fieldText(type, field),
      ]);
      return [type.name, { ...(own && { "": ` ${own}` }), ...Object.fromEntries(fields) }];
    }),
  );
}

function fieldText({ module, name }: ModelType, field: ModelField): string {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  const local = element.startsWith(`${module}.`) ? element.slice(module.length) : element;
  const isItems = field.name === "items" && name.endsWith("List");
  return [
    prefix + local,
    fieldFacts[`${module}.${name}.${field.name}`] ?? (isItems ? "plain" : undefined),
    field.enum && `enum(${field.enum.join("|")})`,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

function toDescriptions(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => [
      type.name,
      {
        ...(type.description && { "": type.description.replace(deprecatedTag, "") }),
        ...Object.fromEntries(
          type.fields
            .filter(({ description }) => description)
            .map(({ name, description }) => [name, description]),
        ),
      },
    ]),
  );
}

/** Editors strike such a type through; the API's own text has no tag. */
const deprecatedTag = /\s*@deprecated$/u;

function modulesFile(modules: ReadonlyMap<string, readonly ModelType[]>, model: Model): string {
  const lines = [...modules].map(([module, types]) => {
    const file = fileName(module);
    return [
      `  ${JSON.stringify(module)}: {`,
      `    uses: ${JSON.stringify(usedModules(types, model))},`,
      `    load: () => import("./${file}.ts"),`,
      `    loadDescriptions: () => import("./${file}-descriptions.ts"),`,
      `    loadNumbers: () => import("./${file}-numbers.ts"),`,
      "  },",
    ].join("\n");
  });
  return [
    header,
    "interface Module {",
    "  readonly uses: readonly string[];",
    "  load(): Promise<{ readonly text: string }>;",
    "  loadDescriptions(): Promise<{ readonly text: string }>;",
    "  loadNumbers(): Promise<{ readonly text: string }>;",
    "}",
    "",
    "export const modules: Readonly<Record<string, Module>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}

/** The modules that types refer to, directly or not, their own left out. */
function usedModules(types: readonly ModelType[], model: Model): string[] {
  const seen = new Set(types);
  for (const type of seen) {
    for (const field of type.fields) {
      const element = elementOf(field.type);
      if (isNamed(element)) seen.add(model.get(element)!);
    }
  }
  const used = new Set([...seen].map((type) => type.module));
  used.delete(types[0]!.module);
  return [...used].sort(compare);
}

function fileName(module: string): string {
  return module.replace("/", "-");
}

function textFile(content: unknown): string {
  return `${header}export const text: string = ${JSON.stringify(JSON.stringify(content))};\n`;
}

/** Not a header of tsbuilder's products: these files are ours, and git ignores them. */
const header = "// Made by `npm run tables`. See kinds/build.\n";
