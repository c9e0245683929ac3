import { posix } from "node:path";
import {
  type BuiltinSchema,
  type SchemaTable,
  loadSchemas,
  schemaModules,
} from "@tsbuilder/apimachinery/kinds";
import { TsbuilderError } from "../shared/errors.ts";
import type { KindMarker, KindSummary } from "./crd/find-kinds.ts";
import type { CrdFile } from "./crd/generate-crds.ts";
import { type Diagnostic, DiagnosticLog } from "./diagnostic.ts";
import { type Module, type ModuleCache, ModuleGraph } from "./loader/index.ts";
import { type Marker, type ModuleMarkers, collectMarkers } from "./markers/collect.ts";
import type { GeneratorOptions } from "./options.ts";
import { breakLines } from "./schema/break-lines.ts";
import type { CoreSchema, SchemaSources } from "./schema/environment.ts";
import type { SourceTree } from "./source-tree.ts";
import { sharedMappings } from "./emit.ts";
import type { Schema } from "./schema/schema.ts";
import { listMapKeysOf, wellKnownSchema } from "./schema/well-known.ts";

/** What is kept between two runs on a project, so that the second only processes what changed. */
export interface GeneratorCache {
  readonly modules: ModuleCache;
  readonly markers: WeakMap<Module, ModuleMarkers>;
  readonly kindMarkers: WeakMap<Module, readonly KindMarker[]>;
  /** By the file that declares them; only where nothing was found to report. */
  readonly kinds: Map<string, CachedKinds>;
  readonly crds: Map<string, CachedCrd>;
  /** The text of CRDs, which an earlier process may have kept. */
  readonly files: Map<string, CachedFile>;
  readonly coreSchemas: Map<string, CoreSchemas>;
}

/** The sources of a result: it is the same as long as they are. */
export interface MadeFrom {
  /** Changes with the markers of the modules' packages, and with the options. */
  readonly key: string;
  readonly modules: readonly Module[];
}

export interface CachedKinds extends MadeFrom {
  readonly kinds: readonly KindSummary[];
}

export interface CachedFile extends MadeFrom, CrdFile {}

interface CachedCrd extends CachedFile {
  /** A CRD with errors is not kept. */
  readonly warnings: readonly Diagnostic[];
}

/** Creates an empty cache; keep it while watching. */
export function createCache(): GeneratorCache {
  return {
    modules: new Map(),
    markers: new WeakMap(),
    kindMarkers: new WeakMap(),
    kinds: new Map(),
    crds: new Map(),
    files: new Map(),
    coreSchemas: new Map(),
  };
}

/** The parsed sources of a project, with their markers. */
export class ProjectSources implements SchemaSources {
  readonly graph: ModuleGraph;
  readonly log = new DiagnosticLog();
  readonly options: GeneratorOptions;
  readonly cache: GeneratorCache;
  /** Modules of the API, sorted by path. */
  readonly apiModules: readonly Module[];
  /** Those with `declare module`, each of which affects all others. */
  readonly augmentingModules: readonly Module[];
  /** All modules with rbac and webhook markers, sorted by path. */
  readonly markerModules: readonly Module[];
  readonly #markers = new Map<Module, ModuleMarkers>();
  readonly #packageMarkers = new Map<string, readonly Marker[]>();
  readonly #packageKeys = new Map<readonly Marker[], string>();
  #coreSchemas: CoreSchemas = () => undefined;

  /** Parses a project's sources, and loads the built-in Kubernetes types they import. */
  static async load(
    tree: SourceTree,
    options: GeneratorOptions = {},
    cache: GeneratorCache = createCache(),
  ): Promise<ProjectSources> {
    const sources = new ProjectSources(tree, options, cache);
    const specifiers = sources.graph.packageSpecifiers(sources.apiModules);
    sources.#coreSchemas = await loadCoreSchemas(specifiers, options, cache.coreSchemas);
    return sources;
  }

  private constructor(tree: SourceTree, options: GeneratorOptions, cache: GeneratorCache) {
    this.options = options;
    this.cache = cache;
    this.graph = new ModuleGraph(readOnce(tree), cache.modules);
    const given = options.paths?.map((path) => presentPath(tree, path));
    const apiFiles = sourceFiles(tree, given ?? ["api"]);
    const others = sourceFiles(tree, given ?? ["src"]).filter((file) => !apiFiles.includes(file));
    this.apiModules = this.#load(apiFiles);
    this.augmentingModules = this.apiModules.filter(({ augmentations }) => augmentations.length > 0);
    // Parsing takes longer than searching the text, and most files of an operator have no markers.
    const marked = others.filter((file) => markerLine.test(tree.read(file) ?? ""));
    this.markerModules = [...this.apiModules, ...this.#load(marked)];
  }

  markersOf(module: Module): ModuleMarkers {
    const known = this.#markers.get(module) ?? this.cache.markers.get(module);
    if (known) return known;
    const findings = this.log.size;
    for (const { message, pos } of module.syntaxErrors) this.log.error({ module, pos }, message);
    const markers = collectMarkers(module, this.log);
    this.#markers.set(module, markers);
    // The findings of a file must be reported in every run.
    if (this.log.size === findings) this.cache.markers.set(module, markers);
    return markers;
  }

  /** Logs the errors in the markers of all modules, also of those that no generator reads. */
  checkMarkers(): void {
    for (const module of [...this.markerModules, ...this.graph.reachable(this.apiModules)]) {
      if (!module.file.includes("node_modules/")) this.markersOf(module);
    }
  }

  /** A file with syntax errors lacks some of its names, which would lead to misleading errors about its types. */
  get hasSyntaxErrors(): boolean {
    return this.graph.reachable(this.apiModules).some(({ syntaxErrors }) => syntaxErrors.length > 0);
  }

  /** Markers of all files in the module's folder: a folder is a version, like a package in Go. */
  packageMarkers(module: Module): readonly Marker[] {
    const folder = posix.dirname(module.file);
    const known = this.#packageMarkers.get(folder);
    if (known) return known;
    const neighbours = this.markerModules.filter(({ file }) => posix.dirname(file) === folder);
    const modules = neighbours.includes(module) ? neighbours : [...neighbours, module];
    const markers = modules.flatMap((one) => this.markersOf(one).package);
    this.#packageMarkers.set(folder, markers);
    return markers;
  }

  /** Changes with the markers of a module's folder, and with the options. */
  packageKey(module: Module): string {
    const markers = this.packageMarkers(module);
    const known = this.#packageKeys.get(markers);
    if (known !== undefined) return known;
    const key = JSON.stringify([this.options, markers.map(({ name, args }) => [name, args])]);
    this.#packageKeys.set(markers, key);
    return key;
  }

  coreSchema(specifier: string, name: string): CoreSchema | undefined {
    return this.#coreSchemas(specifier, name);
  }

  typeMetaText(field: "apiVersion" | "kind"): string | undefined {
    const status = this.#coreSchemas("@tsbuilder/runtime", "Status");
    return breakLines(status?.schema.properties?.[field]?.description);
  }

  #load(files: readonly string[]): Module[] {
    return files.flatMap((file) => this.graph.module(file) ?? []);
  }
}

/** Looks up built-in Kubernetes types by the module they are imported from, and their name. */
type CoreSchemas = (specifier: string, name: string) => CoreSchema | undefined;

/**
 * Loads the types of Kubernetes' own that some import specifiers ask for, in the form in which a CRD embeds them.
 * `@tsbuilder/runtime` itself names those of `meta/v1`. Those of the run before are `kept`, and their texts with them.
 */
async function loadCoreSchemas(
  specifiers: Iterable<string>,
  options: GeneratorOptions,
  kept = new Map<string, CoreSchemas>(),
): Promise<CoreSchemas> {
  const descriptions = options.maxDescLen !== 0;
  const modules = new Set(["meta/v1", ...[...specifiers].flatMap(modulesOf)]);
  const key = JSON.stringify([
    [...modules].sort(),
    descriptions,
    options.generateEmbeddedObjectMeta === true,
  ]);
  const known = kept.get(key);
  if (known) return known;
  const loaded = await loadModules(modules, options, descriptions);
  kept.clear();
  kept.set(key, loaded);
  return loaded;
}

async function loadModules(
  modules: ReadonlySet<string>,
  options: GeneratorOptions,
  descriptions: boolean,
): Promise<CoreSchemas> {
  const tables = new Map<string, SchemaTable>();
  for (const module of modules) {
    const table = await loadSchemas(module, { descriptions });
    if (table) tables.set(module, table);
  }
  const converter = new Converter(options.generateEmbeddedObjectMeta === true);
  const found = new Map<BuiltinSchema, CoreSchema>();
  return (specifier, written) => {
    const name = specifier.startsWith("@kubernetes/client-node") ? written.replace(/^V\d+/u, "") : written;
    for (const module of modulesOf(specifier)) {
      const node = tables.get(module)?.get(name);
      if (!node) continue;
      const known = found.get(node) ?? { schema: converter.convert(node), listMapKeys: listMapKeysOf(name) };
      found.set(node, known);
      if (known.schema.properties) sharedMappings.add(known.schema.properties);
      return known;
    }
    return undefined;
  };
}

/**
 * The tables with the types of an import: a specific one for our own paths, any for packages that name types by
 * version.
 */
function modulesOf(specifier: string): readonly string[] {
  const path = /^@tsbuilder\/(?:runtime|apimachinery)\/k8s\/(.+)$/u.exec(specifier)?.[1];
  if (path !== undefined) return schemaModules.includes(path) ? [path] : [];
  if (/^@tsbuilder\/(?:runtime|apimachinery\/meta)$/u.test(specifier)) return ["meta/v1"];
  const foreign = /^(?:kubernetes-models|kubernetes-types)\/(.+?)(?:\.[jt]s)?$/u.exec(specifier)?.[1];
  if (foreign) return schemaModules.filter((module) => foreign.startsWith(module) || module === "core/v1");
  return specifier.startsWith("@kubernetes/client-node") ? schemaModules : [];
}

/** Converts nodes of the tables to CRD schemas. A recursive node preserves unknown fields. */
class Converter {
  readonly #embeddedMetadata: boolean;
  readonly #done = new Map<BuiltinSchema, Schema>();
  readonly #active = new Set<BuiltinSchema>();

  constructor(embeddedMetadata: boolean) {
    this.#embeddedMetadata = embeddedMetadata;
  }

  convert(node: BuiltinSchema): Schema {
    const done = this.#done.get(node);
    if (done) return done;
    if (this.#active.has(node)) return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    this.#active.add(node);
    const schema = this.#known(node) ?? applyCoreMarkers(node.typeName, this.#structure(node));
    this.#active.delete(node);
    this.#done.set(node, schema);
    return schema;
  }

  /** Named scalars, metadata and conditions have schemas that are incomplete in the tables. */
  #known(node: BuiltinSchema): Schema | undefined {
    const name = node.typeName?.replace(/^meta\/v1\./u, "");
    const known = name === undefined ? undefined : wellKnownSchema(name, this.#embeddedMetadata);
    if (!known) return undefined;
    if (name === "Condition") {
      for (const [key, property] of Object.entries(known.properties ?? {})) {
        property.description = breakLines(node.properties?.[key]?.description);
      }
    }
    const text = name === "Condition" ? breakLines(node.description) : node.description;
    return text === undefined ? known : { ...known, description: text };
  }

  #structure(node: BuiltinSchema): Schema {
    const { properties, required, items, additionalProperties } = node;
    const names = properties ? Object.keys(properties) : [];
    return {
      type: node.type,
      format: node.format,
      description: node.description,
      default: node.default as Schema["default"],
      properties:
        names.length > 0
          ? Object.fromEntries(names.map((name) => [name, this.convert(properties![name]!)]))
          : undefined,
      required: required && required.length > 0 ? [...required].sort() : undefined,
      items: items && this.convert(items),
      additionalProperties: additionalProperties && this.convert(additionalProperties),
      "x-kubernetes-preserve-unknown-fields": node["x-kubernetes-preserve-unknown-fields"],
      "x-kubernetes-embedded-resource": node["x-kubernetes-embedded-resource"],
      "x-kubernetes-list-type": node["x-kubernetes-list-type"],
      "x-kubernetes-list-map-keys": node["x-kubernetes-list-map-keys"],
      "x-kubernetes-map-type": node["x-kubernetes-map-type"],
    };
  }
}

/**
 * Markers in the Go sources of built-in types that are missing in the published documents, by type. A type that inlines
 * another inherits its merge strategy; limits and defaults by reference only exist as markers.
 */
function applyCoreMarkers(typeName: string | undefined, schema: Schema): Schema {
  if (typeName === undefined) return schema;
  if (inlinesLocalReference.has(typeName)) return { ...schema, "x-kubernetes-map-type": "atomic" };
  const edits = fields[typeName];
  if (!edits) return schema;
  const properties = { ...schema.properties };
  for (const [name, edit] of Object.entries(edits)) properties[name] = { ...properties[name], ...edit };
  return { ...schema, properties };
}

/** These inline LocalObjectReference, which is replaced as a whole. */
const inlinesLocalReference = new Set([
  "core/v1.ConfigMapEnvSource",
  "core/v1.ConfigMapProjection",
  "core/v1.ConfigMapVolumeSource",
  "core/v1.SecretEnvSource",
  "core/v1.SecretProjection",
]);

const qualifiedName =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

const fields: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  // Their defaults are references to Go constants, which a CRD cannot contain.
  "core/v1.AzureDiskVolumeSource": { cachingMode: { default: undefined }, kind: { default: undefined } },
  "core/v1.ImageVolumeStatus": { imageRef: { maxLength: 256 } },
  "core/v1.PortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
  "networking/v1.IngressPortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
};

/** Checks each file once per run, because resolving imports repeats the same few lookups. */
function readOnce(tree: SourceTree): SourceTree {
  const texts = new Map<string, string | undefined>();
  return {
    list: (folder) => tree.list(folder),
    has: (path) => tree.has(path),
    read(path) {
      if (!texts.has(path)) texts.set(path, tree.read(path));
      return texts.get(path);
    },
  };
}

const markerLine = /^[ \t]*(?:\/\/|\/?\*+)?[ \t]*\+[A-Za-z]/mu;

/** The path of what a flag names, in the form that trees have; throws if nothing is there. */
export function presentPath(tree: SourceTree, path: string): string {
  const normal = posix.normalize(path).replace(/(?<=.)\/$/u, "");
  if (tree.has(normal) || tree.list(normal).length > 0) return normal;
  throw new TsbuilderError(`the project has no file or folder "${path}"`, {
    code: "NOT_FOUND",
    hint: "paths are relative to the project's root, and folders are read with all that is below them, for example api/v1",
  });
}

/** The TypeScript sources in some folders, without declaration files and tests. */
function sourceFiles(tree: SourceTree, paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => (/\.[cm]?tsx?$/u.test(path) ? [path] : tree.list(path)));
  const isSource = (file: string): boolean =>
    /\.[cm]?tsx?$/u.test(file) && !/\.d\.[cm]?ts$|[._]test(?:-d)?\.[cm]?tsx?$/u.test(file);
  return [...new Set(files)].filter(isSource).sort();
}
