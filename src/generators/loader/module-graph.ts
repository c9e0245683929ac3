import type { SourceTree } from "../source-tree.ts";
import { refuseTooDeep } from "../too-deep.ts";
import { parseModule } from "./parse-module.ts";
import { resolveSpecifier } from "./resolve-specifier.ts";
import type { Declaration, Module } from "./syntax.ts";

/** A declaration and the module in which the names of its types are resolved. */
export interface Declared {
  readonly declaration: Declaration;
  readonly module: Module;
}

/** What a name refers to: declarations in the project, or a known name of a package. */
export type Resolved =
  | { readonly kind: "declared"; readonly name: string; readonly parts: readonly Declared[] }
  | { readonly kind: "external"; readonly specifier: string; readonly name: string };

/** Parsed modules by path. Unchanged text is not parsed again, which makes watching cheap. */
export type ModuleCache = Map<string, Module>;

/** Packages whose types are built in, so that generators work before anything is installed. */
const knownPackages =
  /^(?:@tsbuilder\/(?:runtime|apimachinery)|@kubernetes\/client-node|kubernetes-types|kubernetes-models)(?:\/|$)/u;

/** The project's modules and their names. */
export class ModuleGraph {
  readonly #tree: SourceTree;
  readonly #cache: ModuleCache;
  readonly #loaded = new Map<string, Module | undefined>();
  readonly #imports = new Map<Module, readonly Module[]>();
  #augmented: Map<string, Declared[]> | undefined;

  constructor(tree: SourceTree, cache: ModuleCache = new Map()) {
    this.#tree = tree;
    this.#cache = cache;
  }

  /** Reads a module; undefined if the file does not exist. */
  module(file: string): Module | undefined {
    if (!this.#loaded.has(file)) this.#loaded.set(file, this.#load(file));
    return this.#loaded.get(file);
  }

  /** Resolves a name in a module; undefined if it has no such name. */
  resolve(name: string, from: Module): Resolved | undefined {
    const local = this.#declared(name, from);
    if (local.length > 0) return { kind: "declared", name, parts: local };
    const [head = "", ...rest] = name.split(".");
    const imported = from.imports.get(head);
    if (!imported) return undefined;
    const path = imported.name === "*" ? rest : [imported.name, ...rest];
    return this.resolveExport(imported.specifier, path.join("."), from);
  }

  /** Resolves an exported name of the module that a specifier refers to. */
  resolveExport(specifier: string, name: string, from: Module): Resolved | undefined {
    if (knownPackages.test(specifier)) return { kind: "external", specifier, name };
    const file = resolveSpecifier(specifier, from.file, this.#tree);
    const module = file === undefined ? undefined : this.module(file);
    if (!module) return { kind: "external", specifier, name };
    return this.#exported(name, module, new Set());
  }

  /** Some modules and all that they import, transitively, as far as they are files of the project. */
  reachable(roots: readonly Module[]): Module[] {
    const seen = new Set<Module>(roots);
    for (const module of seen) for (const target of this.#imported(module)) seen.add(target);
    return [...seen];
  }

  /** The specifiers of known packages that some modules import, transitively. */
  packageSpecifiers(roots: readonly Module[]): Set<string> {
    const specifiers = this.reachable(roots).flatMap((module) => [...specifiersOf(module)]);
    return new Set(specifiers.filter((specifier) => knownPackages.test(specifier)));
  }

  #imported(module: Module): readonly Module[] {
    const known = this.#imports.get(module);
    if (known) return known;
    const targets = [...specifiersOf(module)].flatMap((specifier) => {
      if (knownPackages.test(specifier)) return [];
      const file = resolveSpecifier(specifier, module.file, this.#tree);
      return (file === undefined ? undefined : this.module(file)) ?? [];
    });
    this.#imports.set(module, targets);
    return targets;
  }

  #load(file: string): Module | undefined {
    const text = this.#tree.read(file);
    if (text === undefined) return undefined;
    const cached = this.#cache.get(file);
    if (cached?.text === text) return cached;
    const module = refuseTooDeep(`"${file}"`, () => parseModule(file, text));
    this.#cache.set(file, module);
    return module;
  }

  /** `visited` are names of modules: one that is exported under two names is looked for twice. */
  #exported(name: string, module: Module, visited: Set<string>): Resolved | undefined {
    const key = `${module.file}\0${name}`;
    if (visited.has(key)) return undefined;
    visited.add(key);
    const [head = "", ...rest] = name.split(".");
    const local = module.exports.get(head);
    const found = this.resolve([local ?? head, ...rest].join("."), module);
    if (found && (local !== undefined || found.kind === "declared")) return found;
    for (const reexport of module.reexports) {
      const path =
        reexport.exported === "*"
          ? name
          : reexport.exported !== head
            ? undefined
            : reexportedPath(reexport.name, rest);
      if (path === undefined) continue;
      if (knownPackages.test(reexport.specifier)) {
        if (reexport.exported !== "*") return { kind: "external", specifier: reexport.specifier, name: path };
        continue;
      }
      const file = resolveSpecifier(reexport.specifier, module.file, this.#tree);
      const target = file === undefined ? undefined : this.module(file);
      const deeper = target && this.#exported(path, target, visited);
      if (deeper) return deeper;
    }
    const star = module.reexports.find(
      ({ exported, specifier }) => exported === "*" && knownPackages.test(specifier),
    );
    return star && { kind: "external", specifier: star.specifier, name };
  }

  #declared(name: string, module: Module): Declared[] {
    const own = (module.declarations.get(name) ?? []).map((declaration) => ({ declaration, module }));
    return [...own, ...(this.#augmentations().get(`${module.file}\0${name}`) ?? [])];
  }

  /** What loaded modules add to others with `declare module`, in the order of their paths. */
  #augmentations(): Map<string, Declared[]> {
    if (this.#augmented) return this.#augmented;
    const added = new Map<string, Declared[]>();
    this.#augmented = added;
    for (const file of [...this.#loaded.keys()].sort()) {
      const module = this.#loaded.get(file);
      for (const { specifier, declarations } of module?.augmentations ?? []) {
        const target = resolveSpecifier(specifier, file, this.#tree);
        for (const [name, parts] of declarations) {
          const key = `${target}\0${name}`;
          const known = added.get(key) ?? [];
          added.set(key, [...known, ...parts.map((declaration) => ({ declaration, module: module! }))]);
        }
      }
    }
    return added;
  }
}

const specifiers = new WeakMap<Module, ReadonlySet<string>>();

function specifiersOf(module: Module): ReadonlySet<string> {
  const known = specifiers.get(module);
  if (known) return known;
  const inline = [...module.text.matchAll(/\bimport\("([^"]+)"\)/gu)].map(([, specifier = ""]) => specifier);
  const written = [...module.imports.values(), ...module.reexports].map(({ specifier }) => specifier);
  const all = new Set([...written, ...inline]);
  specifiers.set(module, all);
  return all;
}

function reexportedPath(name: string, rest: string[]): string {
  return (name === "*" ? rest : [name, ...rest]).join(".");
}
