/**
 * The sources of a project, parsed, for all generators. `cache.ts` has the results that a run can reuse of the previous
 * one, and `kept-results.ts` stores them for the next process.
 */

import { posix } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { DiagnosticLog } from "../model/diagnostic.ts";
import { type Module, ModuleGraph } from "../loader/index.ts";
import { type Marker, type ModuleMarkers, collectMarkers } from "../markers/collect.ts";
import type { GeneratorOptions } from "../model/options.ts";
import { type CoreSchemas, breakLines, loadCoreSchemas } from "../schema/built-in-types.ts";
import type { CoreSchema, SchemaSources } from "../schema/builder.ts";
import type { SourceTree } from "../model/files.ts";
import { type GeneratorCache, createCache } from "./cache.ts";

/** The parsed sources of a project, with their markers. */
export class ProjectSources implements SchemaSources {
  readonly graph: ModuleGraph;
  readonly log = new DiagnosticLog();
  readonly options: GeneratorOptions;
  readonly cache: GeneratorCache;
  /** Modules of the API, sorted by path. */
  readonly apiModules: readonly Module[];
  /** API modules with `declare module`, each of which affects all others. */
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
    const paths = options.paths?.map((path) => requirePath(tree, path));
    const apiFiles = listSources(tree, paths ?? ["api"]);
    const others = listSources(tree, paths ?? ["src"]).filter((file) => !apiFiles.includes(file));
    this.apiModules = this.#load(apiFiles);
    this.augmentingModules = this.apiModules.filter(({ augmentations }) => augmentations.length > 0);
    // Parsing takes longer than searching the text, and most files of an operator have no markers.
    const marked = others.filter((file) => markerLine.test(tree.read(file) ?? ""));
    this.markerModules = [...this.apiModules, ...this.#load(marked)];
  }

  /** Returns the markers of a module; its syntax errors and those of its markers are logged. */
  markersOf(module: Module): ModuleMarkers {
    const known = this.#markers.get(module) ?? this.cache.markers.get(module);
    if (known) return known;
    const findings = this.log.size;
    for (const { message, pos } of module.syntaxErrors) this.log.error({ module, pos }, message);
    const markers = collectMarkers(module, this.log);
    this.#markers.set(module, markers);
    // Markers with findings are read again in every run, to report them.
    if (this.log.size === findings) this.cache.markers.set(module, markers);
    return markers;
  }

  /** Logs the errors in the markers of all modules, including modules that no generator reads. */
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
    const markers = modules.flatMap((neighbour) => this.markersOf(neighbour).package);
    this.#packageMarkers.set(folder, markers);
    return markers;
  }

  /** Returns a key that changes with the markers of a module's folder, and with the options. */
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

  /** The description of a field that all objects share, from the schema of Status. */
  typeMetaText(field: "apiVersion" | "kind"): string | undefined {
    const status = this.#coreSchemas("@tsbuilder/runtime", "Status");
    return breakLines(status?.schema.properties?.[field]?.description);
  }

  #load(files: readonly string[]): Module[] {
    return files.flatMap((file) => this.graph.module(file) ?? []);
  }
}

/** Reads each file once per run, because resolving imports repeats the same few lookups. */
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

/** Normalizes the path of a file or folder to the form of a SourceTree. Throws a TsbuilderError if it does not exist. */
export function requirePath(tree: SourceTree, path: string): string {
  const normal = posix.normalize(path).replace(/(?<=.)\/$/u, "");
  if (tree.has(normal) || tree.list(normal).length > 0) return normal;
  throw new TsbuilderError(`the project has no file or folder "${path}"`, {
    code: "NOT_FOUND",
    hint: "paths are relative to the project's root, and folders are read with all that is below them, for example api/v1",
  });
}

/** Lists the TypeScript sources in folders, without declaration files and tests. */
function listSources(tree: SourceTree, paths: readonly string[]): string[] {
  const files = paths.flatMap((path) => (/\.[cm]?tsx?$/u.test(path) ? [path] : tree.list(path)));
  const isSource = (file: string): boolean =>
    /\.[cm]?tsx?$/u.test(file) && !/\.d\.[cm]?ts$|[._]test(?:-d)?\.[cm]?tsx?$/u.test(file);
  return [...new Set(files)].filter(isSource).sort();
}
