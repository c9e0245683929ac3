import { AsyncResource } from "node:async_hooks";
import { modules } from "./generated/modules.ts";
import { addGoFields } from "./go-fields.ts";
import { type Release, defaultRelease } from "./releases.ts";
import { type BuiltinSchema, type RawTable, SchemaGraph, scalarSchemas } from "./schema-graph.ts";

/** The schemas of one group and version by type name; the tables that it refers to are loaded with it. */
export interface SchemaTable {
  /** The module's name in imports and type names: `apps/v1`, `core/v1`, `networking/v1`, `meta/v1`. */
  readonly module: string;
  /** The names of all its types, sorted: `Deployment`, `DeploymentList`, `DeploymentSpec` … */
  readonly typeNames: readonly string[];
  /** Returns the schema of a type; always the same node. */
  get(typeName: string): BuiltinSchema | undefined;
  /** Returns the schema of a type of any loaded table by its full name, such as that of a field: `core/v1.PodSpec`, `Time`. */
  named(fullName: string): BuiltinSchema | undefined;
}

/** The parts to load with a table. */
export interface SchemaOptions {
  /** Default: false. Descriptions are three times as large as everything else. */
  readonly descriptions?: boolean;
  /** Default: `defaultRelease`. */
  readonly release?: Release;
}

/** Modules loaded into one graph; each release, and modules with descriptions, have graphs of their own. */
class LoadedModules {
  readonly graph: SchemaGraph;
  readonly #withDescriptions: boolean;
  readonly #loading = new Map<string, Promise<readonly string[]>>();
  /** Bound to no request: a module is loaded for all, not in the async context of the first one that needs it. */
  readonly #load = AsyncResource.bind((module: string) => this.#read(module));

  constructor(release: Release, withDescriptions: boolean) {
    this.graph = new SchemaGraph(release);
    this.#withDescriptions = withDescriptions;
  }

  /** Loads one module without those it refers to, and returns the names of its types. */
  load(module: string): Promise<readonly string[]> {
    const loading = this.#loading.get(module) ?? this.#load(module);
    this.#loading.set(module, loading);
    return loading;
  }

  async #read(module: string): Promise<readonly string[]> {
    const source = modules[module]!;
    const table = JSON.parse((await source.load()).text) as RawTable;
    const descriptions = this.#withDescriptions
      ? (JSON.parse((await source.loadDescriptions()).text) as RawTable)
      : undefined;
    addGoFields(module, JSON.parse((await source.loadGo()).text) as Record<string, string>);
    this.graph.add(module, table, descriptions);
    return Object.freeze(Object.keys(table).filter((name) => !name.includes("@")));
  }
}

const loadedModules = new Map<string, LoadedModules>();

/**
 * Loads a module of built-in types (`apps/v1`, `core/v1`, `rbac/v1`, `meta/v1` …). Returns `undefined` for an unknown
 * one. Each table is loaded once per process, with all tables that it refers to, so that using it is synchronous.
 */
export async function loadSchemas(
  module: string,
  { descriptions = false, release = defaultRelease }: SchemaOptions = {},
): Promise<SchemaTable | undefined> {
  const source = modules[module];
  if (!source) return undefined;
  const key = `${release} ${descriptions}`;
  const loaded = loadedModules.get(key) ?? new LoadedModules(release, descriptions);
  loadedModules.set(key, loaded);
  await Promise.all(source.uses.map((dependency) => loaded.load(dependency)));
  return {
    module,
    typeNames: await loaded.load(module),
    get: (name) => loaded.graph.get(`${module}.${name}`),
    named: (fullName) => scalarSchemas[fullName] ?? loaded.graph.get(fullName),
  };
}

/** The names of all modules, sorted. */
export const schemaModules: readonly string[] = Object.freeze(Object.keys(modules));

/** The position of a field in the protobuf message of its type. */
export interface FieldNumber {
  /** The number, or several where JSON inlines a message into its parent. */
  readonly path: readonly number[];
  /** The Go type has no unset value (it is not a pointer), and JSON omits the field when it is zero. */
  readonly zeroIsAbsent: boolean;
}

/** Returns the fields of a type by name; empty for a type without fields. */
export type FieldNumbers = (typeName: string) => ReadonlyMap<string, FieldNumber>;

const noNumbers: ReadonlyMap<string, FieldNumber> = new Map();
const numbersByType = new Map<string, ReadonlyMap<string, FieldNumber>>();

/** Loads the field numbers of a module and of all modules that it refers to; returns `undefined` for an unknown one. */
export async function loadFieldNumbers(module: string): Promise<FieldNumbers | undefined> {
  const source = modules[module];
  if (!source) return undefined;
  await Promise.all([module, ...source.uses].map(loadNumbers));
  return (typeName) => numbersByType.get(typeName) ?? noNumbers;
}

const loadingNumbers = new Map<string, Promise<void>>();

function loadNumbers(module: string): Promise<void> {
  const load = loadingNumbers.get(module) ?? readNumbers(module);
  loadingNumbers.set(module, load);
  return load;
}

async function readNumbers(module: string): Promise<void> {
  const { text } = await modules[module]!.loadNumbers();
  const table = JSON.parse(text) as Record<string, Record<string, string>>;
  for (const [name, fields] of Object.entries(table)) {
    const numbers = Object.entries(fields).map(([field, number]) => [field, parseNumber(number)] as const);
    numbersByType.set(`${module}.${name}`, new Map(numbers));
  }
}

/** Parses a field number of the tables, such as `2.4?`. */
function parseNumber(text: string): FieldNumber {
  const zeroIsAbsent = text.endsWith("?");
  return { path: (zeroIsAbsent ? text.slice(0, -1) : text).split(".").map(Number), zeroIsAbsent };
}
