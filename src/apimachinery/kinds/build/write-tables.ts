import { compareText } from "../../text/index.ts";
import type { JSONObject, JSONValue } from "../../json/index.ts";
import type { BuiltinResource } from "../builtin-resources.ts";
import { addGoFields, goFieldsOf } from "../go-fields.ts";
import { type Release, defaultRelease, releases } from "../releases.ts";
import { buildReleaseFacts } from "./build-release-facts.ts";
import { type ListedResource, buildResources } from "./build-resources.ts";
import {
  type Model,
  type ModelField,
  type ModelType,
  elementOf,
  isNamed,
  joinModels,
  readFacts,
  readModel,
} from "./model.ts";

/** The kinds of a release. */
export interface ReleaseKinds {
  readonly release: Release;
  readonly model: Model;
  readonly resources: readonly ListedResource[];
}

/** Reads the facts of all releases. */
export function readReleases(): ReleaseKinds[] {
  return releases.map((release) => ({
    release,
    model: readModel(readFacts("types.txt", release)),
    resources: buildResources(release),
  }));
}

/**
 * Returns the files of `kinds/generated` by name. Tables are JSON strings, which load faster than objects. `described` is
 * the model of the default release; a type that another release has differently is there twice.
 */
export function writeTables(described: Model, kinds: readonly ReleaseKinds[]): Map<string, string> {
  const joined = joinModels(
    described,
    kinds.map(({ model }) => model),
  );
  const modules = groupByModule(joined);
  const ofDefault = groupByModule(described);
  const files = new Map<string, string>();
  for (const [module, types] of modules) {
    const fields = { ...fieldTable(ofDefault.get(module) ?? []), ...releaseTable(module, described, kinds) };
    files.set(`${fileName(module)}.ts`, textFile(fields));
    files.set(`${fileName(module)}-descriptions.ts`, textFile(descriptionTable(types)));
    files.set(`${fileName(module)}-numbers.ts`, textFile(numberTable(types)));
    const structs = goTable(types);
    addGoFields(module, structs);
    files.set(`${fileName(module)}-go.ts`, textFile(structs));
  }
  files.set("resources.ts", textFile(joinResources(kinds)));
  files.set("release-facts.ts", textFile(buildReleaseFacts()));
  return files.set("modules.ts", modulesFile(modules, joined));
}

/** Returns the types that releases declare otherwise than the default one, by name and release: `PodSpec@1.37`. */
function releaseTable(module: string, ofDefault: Model, kinds: readonly ReleaseKinds[]): Table {
  const tables = kinds.flatMap(({ release, model }) => {
    const types = [...model.values()].filter((type) => type.module === module);
    const common = fieldTable(types.flatMap(({ name }) => ofDefault.get(`${module}.${name}`) ?? []));
    return Object.entries(fieldTable(types))
      .filter(([name, fields]) => JSON.stringify(fields) !== JSON.stringify(common[name]))
      .map(([name, fields]) => [`${name}@${release}`, fields] as const);
  });
  return Object.fromEntries(tables.sort(([a], [b]) => compareText(a, b)));
}

/** Returns the resources of all releases in the order of discovery; one that releases have differently is there twice. */
function joinResources(kinds: readonly ReleaseKinds[]): BuiltinResource[] {
  const joined: {
    text: string;
    resource: ListedResource & Pick<BuiltinResource, "zero">;
    releases: Release[];
  }[] = [];
  const defaultFirst = kinds.toSorted(
    (a, b) => Number(b.release === defaultRelease) - Number(a.release === defaultRelease),
  );
  for (const { release, model, resources } of defaultFirst) {
    let end = 0;
    for (const listed of resources) {
      const resource = withZero(model, listed);
      const text = JSON.stringify(resource);
      let at = joined.findIndex((known) => known.text === text);
      if (at === -1) joined.splice((at = end), 0, { text, resource, releases: [] });
      joined[at]!.releases.push(release);
      end = at + 1;
    }
  }
  return joined.map(({ resource, releases: served }) => ({
    ...resource,
    releases: served.sort(compareText),
  }));
}

/** Returns the protobuf field numbers of types: `{ Container: { name: "1?", … } }`. */
function numberTable(types: readonly ModelType[]): Record<string, Record<string, string>> {
  return Object.fromEntries(
    types.map(({ name, fields }) => [
      name,
      Object.fromEntries(fields.flatMap((field) => (field.number ? [[field.name, field.number]] : []))),
    ]),
  );
}

/** Returns how Go declares the fields of types: `{ NodeCondition: "type!:v1.NodeConditionType …" }`. */
function goTable(types: readonly ModelType[]): Record<string, string> {
  return Object.fromEntries(types.flatMap(({ name, go }) => (go.length === 0 ? [] : [[name, go.join(" ")]])));
}

function withZero(model: Model, resource: ListedResource): ListedResource & Pick<BuiltinResource, "zero"> {
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
    const type = types.get(name);
    // A field of another release.
    if (type === undefined) return [];
    if (zero === "empty struct") return [[name, zeroStruct(model, type)]];
    if (zero === "null") return [[name, null]];
    return zero === "written" ? [[name, zeroScalars[type] ?? null]] : [];
  });
  return Object.fromEntries(fields);
}

/** Groups types by module, both sorted: the output must not depend on the order in which types were read. */
export function groupByModule(model: Model): Map<string, ModelType[]> {
  const modules = new Map<string, ModelType[]>();
  for (const type of [...model.values()].sort((a, b) => compareText(a.name, b.name))) {
    modules.set(type.module, [...(modules.get(type.module) ?? []), type]);
  }
  return new Map([...modules].sort(([a], [b]) => compareText(a, b)));
}

/** Texts by field, by type; "" is the type itself. */
type Table = Record<string, Record<string, string>>;

/** Returns the fields of types in the notation that `schema-graph.ts` parses. */
function fieldTable(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const fields = type.fields.map((field) => [
        field.name + (field.required ? "!" : ""),
        writeFieldText(type, field),
      ]);
      const words = type.words.length > 0 && { "": ` ${type.words.join(" ")}` };
      return [type.name, { ...words, ...Object.fromEntries(fields) }];
    }),
  );
}

function writeFieldText({ module }: ModelType, field: ModelField): string {
  const element = elementOf(field.type);
  const prefix = field.type.slice(0, field.type.length - element.length);
  const local = element.startsWith(`${module}.`) ? element.slice(module.length) : element;
  const values = field.enum ? [`enum(${field.enum.join("|")})`] : [];
  return [prefix + local, ...field.words, ...values].join(" ");
}

function descriptionTable(types: readonly ModelType[]): Table {
  return Object.fromEntries(
    types.map((type) => {
      const described = [{ ...type, name: "" }, ...type.fields].filter(
        ({ description }) => description !== "",
      );
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
