import { posix } from "node:path";
import type { SourceTree } from "../model/files.ts";
import { parseModule, refuseTooDeep } from "./parse-module.ts";
import type { Declaration, Module } from "./syntax.ts";

/** A declaration and the module in which the names of its types are resolved. */
export interface Declared {
  readonly declaration: Declaration;
  readonly module: Module;
}

/** The meaning of a name: its declarations, or a name of a package whose declarations are not read. */
export type Resolved =
  | { readonly kind: "declared"; readonly name: string; readonly parts: readonly Declared[] }
  | { readonly kind: "external"; readonly specifier: string; readonly name: string };

/** Parsed modules by path. Unchanged text is not parsed again, which makes watching cheap. */
export type ModuleCache = Map<string, Module>;

/** Packages whose types the generators know, so that these work before anything is installed. */
const knownPackages =
  /^(?:@tsbuilder\/(?:runtime|apimachinery)|@kubernetes\/client-node|kubernetes-types|kubernetes-models)(?:\/|$)/u;

/** The modules of a project, read as they are first needed. It resolves names across their imports and exports. */
export class ModuleGraph {
  readonly #tree: SourceTree;
  readonly #cache: ModuleCache;
  readonly #loaded = new Map<string, Module | undefined>();
  readonly #importedModules = new Map<Module, readonly Module[]>();
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

  /** Resolves a name in a module, in its own declarations first; undefined if it has no such name. */
  resolve(name: string, from: Module): Resolved | undefined {
    const local = this.#findDeclarations(name, from);
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
    const module = this.#resolveModule(specifier, from);
    if (!module) return { kind: "external", specifier, name };
    return this.#resolveExported(name, module, new Set());
  }

  /** Returns modules with all files of the project that they import, transitively. */
  reachable(roots: readonly Module[]): Module[] {
    const seen = new Set<Module>(roots);
    for (const module of seen) for (const target of this.#listImported(module)) seen.add(target);
    return [...seen];
  }

  /** Returns the specifiers of known packages that modules import, transitively. */
  packageSpecifiers(roots: readonly Module[]): Set<string> {
    const specifiers = this.reachable(roots).flatMap((module) => [...specifiersOf(module)]);
    return new Set(specifiers.filter((specifier) => knownPackages.test(specifier)));
  }

  #listImported(module: Module): readonly Module[] {
    const known = this.#importedModules.get(module);
    if (known) return known;
    const targets = [...specifiersOf(module)].flatMap((specifier) =>
      knownPackages.test(specifier) ? [] : (this.#resolveModule(specifier, module) ?? []),
    );
    this.#importedModules.set(module, targets);
    return targets;
  }

  #resolveModule(specifier: string, from: Module): Module | undefined {
    const file = resolveSpecifier(specifier, from.file, this.#tree);
    return file === undefined ? undefined : this.module(file);
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

  /** Resolves an exported name. `visited` has pairs of module and name, so that circular reexports end. */
  #resolveExported(name: string, module: Module, visited: Set<string>): Resolved | undefined {
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
            : (reexport.name === "*" ? rest : [reexport.name, ...rest]).join(".");
      if (path === undefined) continue;
      if (knownPackages.test(reexport.specifier)) {
        if (reexport.exported !== "*") return { kind: "external", specifier: reexport.specifier, name: path };
        continue;
      }
      const target = this.#resolveModule(reexport.specifier, module);
      const deeper = target && this.#resolveExported(path, target, visited);
      if (deeper) return deeper;
    }
    const star = module.reexports.find(
      ({ exported, specifier }) => exported === "*" && knownPackages.test(specifier),
    );
    return star && { kind: "external", specifier: star.specifier, name };
  }

  #findDeclarations(name: string, module: Module): Declared[] {
    const local = (module.declarations.get(name) ?? []).map((declaration) => ({ declaration, module }));
    return [...local, ...(this.#augmentations().get(`${module.file}\0${name}`) ?? [])];
  }

  /** The declarations that loaded modules add to others with `declare module`, in the order of their paths. */
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

/** Resolves an import to a source file of the project or of an installed package; undefined if there is none. */
function resolveSpecifier(specifier: string, from: string, tree: SourceTree): string | undefined {
  if (specifier.startsWith(".")) {
    return findSourceFile(posix.normalize(posix.join(posix.dirname(from), specifier)), tree);
  }
  if (specifier.startsWith("#")) return resolveInternal(specifier, tree);
  return resolvePackage(specifier, from, tree);
}

/** Finds a source file as TypeScript does: `.js` also means `.ts`, no extension any of them, and a folder its index. */
function findSourceFile(path: string, tree: SourceTree): string | undefined {
  const stem = path.replace(/\.[cm]?jsx?$/u, "");
  const candidates = [
    path,
    ...(/\.[cm]?tsx?$/u.test(path) ? [] : [`${stem}.ts`, `${stem}.mts`, `${stem}.tsx`, `${stem}.d.ts`]),
    `${path}/index.ts`,
    `${path}/index.d.ts`,
  ];
  return candidates.find((file) => /\.[cm]?tsx?$/u.test(file) && tree.read(file) !== undefined);
}

/** Resolves a `#name` with the `imports` of the project's package.json. */
function resolveInternal(specifier: string, tree: SourceTree): string | undefined {
  const target = matchExports(readJson("package.json", tree)?.["imports"], specifier);
  return target === undefined ? undefined : findSourceFile(posix.normalize(target), tree);
}

function resolvePackage(specifier: string, from: string, tree: SourceTree): string | undefined {
  const depth = specifier.startsWith("@") ? 2 : 1;
  const name = specifier.split("/").slice(0, depth).join("/");
  const subpath = `.${specifier.slice(name.length)}`;
  for (const folder of packageFolders(name, from)) {
    const manifest = readJson(`${folder}/package.json`, tree);
    if (!manifest) continue;
    const exported = matchExports(manifest["exports"], subpath);
    const main = subpath === "." ? (manifest["types"] ?? manifest["typings"] ?? manifest["main"]) : subpath;
    const target = exported ?? (typeof main === "string" ? main : "index.d.ts");
    const path = posix.join(folder, target);
    return findSourceFile(path, tree) ?? findSourceFile(path.replace(/\.[cm]?js$/u, ".d.ts"), tree);
  }
  return undefined;
}

/** Lists the folders in which Node looks for a package: at the importing file, and above. */
function packageFolders(name: string, from: string): string[] {
  const folders: string[] = [];
  for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
    if (posix.basename(folder) !== "node_modules") folders.push(posix.join(folder, "node_modules", name));
    if (folder === "." || folder === "/") return folders;
  }
}

/** Selects the entry of an `exports` or `imports` map, preferring the condition `types`. */
function matchExports(map: unknown, subpath: string): string | undefined {
  if (typeof map === "string") return subpath === "." ? map : undefined;
  if (typeof map !== "object" || map === null) return undefined;
  const entries = map as Record<string, unknown>;
  const isSubpathMap = Object.keys(entries).some((key) => key.startsWith(".") || key.startsWith("#"));
  if (!isSubpathMap) return subpath === "." ? pickCondition(entries) : undefined;
  if (entries[subpath] !== undefined) return pickCondition(entries[subpath]);
  for (const [pattern, target] of Object.entries(entries)) {
    const [before = "", after] = pattern.split("*");
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    return pickCondition(target)?.replace("*", subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

function pickCondition(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (typeof target !== "object" || target === null) return undefined;
  const conditions = target as Record<string, unknown>;
  for (const condition of ["types", "import", "node", "default", "require"]) {
    const picked = pickCondition(conditions[condition]);
    if (picked !== undefined) return picked;
  }
  return undefined;
}

function readJson(path: string, tree: SourceTree): Record<string, unknown> | undefined {
  const text = tree.read(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const specifiers = new WeakMap<Module, ReadonlySet<string>>();

/** Lists the specifiers that a module imports, also those in `import("…")` types. */
function specifiersOf(module: Module): ReadonlySet<string> {
  const known = specifiers.get(module);
  if (known) return known;
  const inline = [...module.text.matchAll(/\bimport\("([^"]+)"\)/gu)].map(([, specifier = ""]) => specifier);
  const written = [...module.imports.values(), ...module.reexports].map(({ specifier }) => specifier);
  const all = new Set([...written, ...inline]);
  specifiers.set(module, all);
  return all;
}
