import { compareText } from "../../text/index.ts";
import type { BuiltinResource } from "../builtin-resources.ts";
import { type Model, type ModelField, type ModelType, elementOf, isNamed } from "./model.ts";
import { readOverlay } from "./build-resources.ts";

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

const fieldNumbers = readFacts("field-numbers.txt");

/** Returns the protobuf field numbers of types: `{ Container: { name: "1?", … } }`. */
function numberFields(types: readonly ModelType[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    types.map((type) => {
      const line = fieldNumbers.get(`${type.module}.${type.name}`);
      const numbers = Object.fromEntries(line?.split(" ").map((field) => field.split("=")) ?? []);
      checkFields(type, Object.keys(numbers), "number");
      const known = new Set(type.fields.map((field) => field.name));
      const unknown = Object.keys(numbers).filter((field) => !known.has(field));
      if (unknown.length === 0) return [type.name, numbers];
      throw new Error(`${type.module}.${type.name}: numbers of unknown fields: ${unknown.join(", ")}`);
    }),
  );
}

/** Reads a file of the overlay whose lines begin with the name of a type or a field. */
function readFacts(file: string): ReadonlyMap<string, string> {
  return new Map(
    readOverlay(file).map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
}

const goFields = readFacts("go-fields.txt");

/** Returns how Go declares the fields of types: `{ NodeCondition: "type!:v1.NodeConditionType …" }`. */
function goDeclarations(types: readonly ModelType[]): Record<string, string> {
  const declared = types.flatMap((type) => {
    const line = goFields.get(`${type.module}.${type.name}`);
    const names = line?.split(" ").map((word) => /([^/?!=:]*)[?!=]?(?::.*)?$/u.exec(word)![1]!);
    checkFields(type, names ?? [], "Go declaration");
    return line === undefined ? [] : [[type.name, line] as const];
  });
  return Object.fromEntries(declared);
}

/** Checks that the overlay has all fields of a type. A kind's own apiVersion and kind are in the envelope around it. */
function checkFields({ module, name, fields }: ModelType, present: readonly string[], what: string): void {
  const found = new Set(["apiVersion", "kind", ...present]);
  const missing = fields.map((field) => field.name).filter((field) => !found.has(field));
  if (missing.length === 0) return;
  throw new Error(`${module}.${name}: fields without a ${what}: ${missing.join(", ")}`);
}

/** Groups types by module, both sorted: the output must not depend on the order in which types were read. */
export function groupByModule(model: Model): Map<string, ModelType[]> {
  const modules = new Map<string, ModelType[]>();
  for (const type of [...model.values()].sort((a, b) => compareText(a.name, b.name))) {
    modules.set(type.module, [...(modules.get(type.module) ?? []), type]);
  }
  return new Map([...modules].sort(([a], [b]) => compareText(a, b)));
}

const fieldFacts = readFacts("fields.txt");

/** Fails if the overlay has a fact about a field that no longer exists. */
function checkFacts(model: Model): void {
  for (const key of fieldFacts.keys()) {
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
      const own = fieldFacts.get(`${type.module}.${type.name}`);
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
    fieldFacts.get(`${module}.${name}.${field.name}`) ?? (isItems ? "plain" : undefined),
    field.enum && `enum(${field.enum.join("|")})`,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** Marks deprecated types for editors; the API's own descriptions have no tag. */
const deprecatedTag = /\s*@deprecated$/u;

function toDescriptions(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const own = { name: "", description: type.description.replace(deprecatedTag, "") };
      const described = [own, ...type.fields].filter(({ description }) => description !== "");
      return [type.name, Object.fromEntries(described.map(({ name, description }) => [name, description]))];
    }),
  );
}

/** Without the license header of scaffolded files: git ignores these. */
const header = "// Generated by `npm run lab -- tables`. See kinds/build.\n";

function modulesFile(modules: ReadonlyMap<string, readonly ModelType[]>, model: Model): string {
  const lines = [...modules].map(([module, types]) => {
    const file = fileName(module);
    return `  ${JSON.stringify(module)}: {
    uses: ${JSON.stringify(usedModules(types, model))},
    load: () => import("./${file}.ts"),
    loadDescriptions: () => import("./${file}-descriptions.ts"),
    loadNumbers: () => import("./${file}-numbers.ts"),
    loadGo: () => import("./${file}-go.ts"),
  },
`;
  });
  return `${header}
interface Module {
  readonly uses: readonly string[];
  load(): Promise<{ readonly text: string }>;
  loadDescriptions(): Promise<{ readonly text: string }>;
  loadNumbers(): Promise<{ readonly text: string }>;
  loadGo(): Promise<{ readonly text: string }>;
}

export const modules: Readonly<Record<string, Module>> = {
${lines.join("")}};
`;
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
