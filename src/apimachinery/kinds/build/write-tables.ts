import { compareText } from "../../text/index.ts";
import type { JSONObject, JSONValue } from "../../json/index.ts";
import type { BuiltinResource } from "../builtin-resources.ts";
import { addGoFields, goFieldsOf } from "../go-fields.ts";
import { type Model, type ModelField, type ModelType, elementOf, isNamed } from "./model.ts";
import { type ListedResource, readOverlay } from "./build-resources.ts";

/** Returns the files of `kinds/generated` by name. Tables are JSON strings, which load faster than objects. */
export function writeTables(model: Model, resources: readonly ListedResource[]): Map<string, string> {
  checkOverlay(model);
  const modules = groupByModule(model);
  const files = new Map<string, string>();
  for (const [module, types] of modules) {
    files.set(`${fileName(module)}.ts`, textFile(fieldTable(types)));
    files.set(`${fileName(module)}-descriptions.ts`, textFile(descriptionTable(types)));
    files.set(`${fileName(module)}-numbers.ts`, textFile(numberTable(types)));
    const structs = goTable(types);
    addGoFields(module, structs);
    files.set(`${fileName(module)}-go.ts`, textFile(structs));
  }
  files.set("resources.ts", textFile(resources.map((resource) => withZero(model, resource))));
  return files.set("modules.ts", modulesFile(modules, model));
}

const fieldNumbers = readOverlayMap("field-numbers.txt");

/** Returns the protobuf field numbers of types: `{ Container: { name: "1?", … } }`. */
function numberTable(types: readonly ModelType[]): Record<string, Record<string, string>> {
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

/** Reads a file of the overlay whose lines begin with the name of a type or a field; returns the rests by name. */
function readOverlayMap(file: string): ReadonlyMap<string, string> {
  return new Map(
    readOverlay(file).map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
}

const goFieldLines = readOverlayMap("go-fields.txt");

/** Returns how Go declares the fields of types: `{ NodeCondition: "type!:v1.NodeConditionType …" }`. */
function goTable(types: readonly ModelType[]): Record<string, string> {
  const declared = types.flatMap((type) => {
    const line = goFieldLines.get(`${type.module}.${type.name}`);
    const names = line?.split(" ").map((word) => /([^/?!=:]*)[?!=]?(?::.*)?$/u.exec(word)![1]!);
    checkFields(type, names ?? [], "Go declaration");
    return line === undefined ? [] : [[type.name, line] as const];
  });
  return Object.fromEntries(declared);
}

function withZero(model: Model, resource: ListedResource): BuiltinResource {
  const { metadata: _, ...zero } = zeroStruct(model, resource.type);
  return { ...resource, zero };
}

const zeroScalars: Readonly<Record<string, string | number | boolean>> = {
  string: "",
  int32: 0,
  int64: 0,
  double: 0,
  boolean: false,
  Quantity: "0",
};

/** Returns the JSON that Go writes for the zero value of a struct; lists, maps, times and bytes in it are null. */
function zeroStruct(model: Model, typeName: string): JSONObject {
  const types = new Map(model.get(typeName)!.fields.map(({ name, type }) => [name, type]));
  const fields = [...goFieldsOf({ typeName }).values()].flatMap(({ name, zero }): [string, JSONValue][] => {
    const type = types.get(name)!;
    if (zero === "empty struct") return [[name, zeroStruct(model, type)]];
    return zero === "written" ? [[name, zeroScalars[type] ?? null]] : [];
  });
  return Object.fromEntries(fields);
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

const fieldWords = readOverlayMap("fields.txt");

/** Fails if the overlay has a fact about a field that no longer exists. */
function checkOverlay(model: Model): void {
  for (const key of fieldWords.keys()) {
    const [module, name, field] = key.split(/\.(?=[A-Z])|\.(?=[^.]*$)/u);
    const type = model.get(`${module}.${name}`);
    if (!type || (field !== undefined && !type.fields.some((known) => known.name === field))) {
      throw new Error(`the overlay has a fact about ${key}, which is in neither package`);
    }
  }
}

/** Texts by field, by type; "" is the type itself. */
type Table = Record<string, Record<string, string>>;

/** Returns the fields of types in the notation that `schema-graph.ts` parses. */
function fieldTable(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const typeWords = fieldWords.get(`${type.module}.${type.name}`);
      const fields = type.fields.map((field) => [
        field.name + (field.required ? "!" : ""),
        writeFieldText(type, field),
      ]);
      return [type.name, { ...(typeWords && { "": ` ${typeWords}` }), ...Object.fromEntries(fields) }];
    }),
  );
}

function writeFieldText({ module, name }: ModelType, field: ModelField): string {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  const local = element.startsWith(`${module}.`) ? element.slice(module.length) : element;
  const isItems = field.name === "items" && name.endsWith("List");
  return [
    prefix + local,
    fieldWords.get(`${module}.${name}.${field.name}`) ?? (isItems ? "plain" : undefined),
    field.enum && `enum(${field.enum.join("|")})`,
  ]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** The tag by which the npm package marks deprecated types for editors; Kubernetes' descriptions have none. */
const deprecatedTag = /\s*@deprecated$/u;

function descriptionTable(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const typeItself = { name: "", description: type.description.replace(deprecatedTag, "") };
      const described = [typeItself, ...type.fields].filter(({ description }) => description !== "");
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
    uses: ${JSON.stringify(referencedModules(types, model))},
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

/** Returns the modules that the types of a module refer to, directly or indirectly, without the module itself. */
function referencedModules(types: readonly ModelType[], model: Model): string[] {
  const seen = new Set(types);
  for (const type of seen) {
    for (const field of type.fields) {
      const element = elementOf(field.type);
      if (isNamed(element)) seen.add(model.get(element)!);
    }
  }
  const modules = new Set([...seen].map((type) => type.module));
  modules.delete(types[0]!.module);
  return [...modules].sort(compareText);
}

function fileName(module: string): string {
  return module.replace("/", "-");
}

function textFile(content: unknown): string {
  return `${header}export const text: string = ${JSON.stringify(JSON.stringify(content))};\n`;
}
