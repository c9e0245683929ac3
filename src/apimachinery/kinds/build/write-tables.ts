import { readFileSync } from "node:fs";
import { compareText } from "../../text/index.ts";
import type { BuiltinResource } from "../builtin-resource.ts";
import { type Model, type ModelField, type ModelType, elementOf, isNamed } from "./model.ts";
import { fieldFacts } from "./overlay/fields.ts";

/** Returns the files of `kinds/generated` by name. Tables are JSON strings, which load faster than objects. */
export function writeTables(model: Model, resources: readonly BuiltinResource[]): Map<string, string> {
  checkFacts(model);
  const modules = groupByModule(model);
  const files = new Map([["resources.ts", textFile(resources)]]);
  for (const [module, types] of modules) {
    files.set(`${fileName(module)}.ts`, textFile(toTable(types)));
    files.set(`${fileName(module)}-descriptions.ts`, textFile(toDescriptions(types)));
    files.set(`${fileName(module)}-numbers.ts`, textFile(numberFields(types)));
    files.set(`${fileName(module)}-go.ts`, textFile(goDeclarations(types)));
  }
  return files.set("modules.ts", modulesFile(modules, model));
}

/** Returns the protobuf field numbers of types from the overlay: `{ Container: { name: "1?", … } }`. */
function numberFields(types: readonly ModelType[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    types.map((type) => {
      const numbers = (numbersByType ??= readNumbers()).get(`${type.module}.${type.name}`) ?? {};
      checkNumbers(type, numbers);
      return [type.name, numbers];
    }),
  );
}

let numbersByType: Map<string, Record<string, string>> | undefined;

function readNumbers(): Map<string, Record<string, string>> {
  const text = readFileSync(new URL("overlay/field-numbers.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [type = "", ...fields] = line.split(" ");
      return [type, Object.fromEntries(fields.map((field) => field.split("=")))];
    }),
  );
}

function checkNumbers({ module, name, fields }: ModelType, numbers: Readonly<Record<string, string>>): void {
  // A kind's own apiVersion and kind are in the envelope around the message.
  const expected = fields
    .map((field) => field.name)
    .filter((field) => field !== "apiVersion" && field !== "kind");
  const missing = expected.filter((field) => numbers[field] === undefined);
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(numbers).filter((field) => !known.has(field));
  if (missing.length + unknown.length > 0) {
    throw new Error(
      `${module}.${name}: fields without a number: ${missing.join(", ")}; numbers of unknown fields: ${unknown.join(", ")}`,
    );
  }
}

/** Returns how Go declares the fields of types, from the overlay: `{ NodeCondition: "type!:v1.NodeConditionType …" }`. */
function goDeclarations(types: readonly ModelType[]): Record<string, string> {
  const declared = types.flatMap((type) => {
    const line = (overlay ??= readOverlay()).get(`${type.module}.${type.name}`);
    checkFields(type, line ?? "");
    return line === undefined ? [] : [[type.name, line] as const];
  });
  return Object.fromEntries(declared);
}

let overlay: Map<string, string> | undefined;

function readOverlay(): Map<string, string> {
  const text = readFileSync(new URL("overlay/go-fields.txt", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
}

function checkFields({ module, name, fields }: ModelType, line: string): void {
  const declared = new Set(line.split(" ").map((word) => /([^/?!=:]*)[?!=]?(?::.*)?$/u.exec(word)![1]!));
  const expected = fields
    .map((field) => field.name)
    .filter((field) => field !== "apiVersion" && field !== "kind");
  const missing = expected.filter((field) => !declared.has(field));
  if (missing.length > 0) {
    throw new Error(`${module}.${name}: fields without a Go declaration: ${missing.join(", ")}`);
  }
}

/** Groups types by module, both sorted: the output must not depend on the order in which types were read. */
export function groupByModule(model: Model): Map<string, ModelType[]> {
  const modules = new Map<string, ModelType[]>();
  for (const type of [...model.values()].sort((a, b) => compareText(a.name, b.name))) {
    modules.set(type.module, [...(modules.get(type.module) ?? []), type]);
  }
  return new Map([...modules].sort(([a], [b]) => compareText(a, b)));
}

/** Fails if the overlay has a fact about a field that no longer exists. */
function checkFacts(model: Model): void {
  for (const key of Object.keys(fieldFacts)) {
    const [module, name, field] = key.split(/\.(?=[A-Z])|\.(?=[^.]*$)/u);
    const type = model.get(`${module}.${name}`);
    if (!type || (field !== undefined && !type.fields.some((known) => known.name === field))) {
      throw new Error(`the overlay has a fact about ${key}, which is in neither package`);
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

/** Marks deprecated types for editors; the API's own descriptions have no tag. */
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
      `    loadGo: () => import("./${file}-go.ts"),`,
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
    "  loadGo(): Promise<{ readonly text: string }>;",
    "}",
    "",
    "export const modules: Readonly<Record<string, Module>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}

/** The modules that types refer to, directly or indirectly, without their own. */
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
  return [...used].sort(compareText);
}

function fileName(module: string): string {
  return module.replace("/", "-");
}

function textFile(content: unknown): string {
  return `${header}export const text: string = ${JSON.stringify(JSON.stringify(content))};\n`;
}

/** Without the license header of scaffolded files: git ignores these. */
const header = "// Generated by `npm run lab -- tables`. See kinds/build.\n";
