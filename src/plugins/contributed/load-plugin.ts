// The code of a plugin's package: it is found, must have been allowed by the user, is loaded, and its form is checked.

import { createRequire } from "node:module";
import { existsSync, readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { createHash } from "node:crypto";
import { isObject } from "@tsbuilder/apimachinery/json";
import { checkPluginKey } from "../../project/project.ts";
import { pluginKey } from "../../project/store.ts";
import { packageManagerOf } from "../../project/package-manager.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean, quoteWord, shorten } from "../../shared/text.ts";
import type { PluginCommand, PluginDefinition, PluginFlag } from "../contract/define-plugin.ts";
import { messageOf, pluginError } from "./plugin-error.ts";
import { readJsonObject } from "../../shared/read-json.ts";
import { isInside } from "../../shared/files.ts";
import { type Fact, isKnown, remember } from "../../shared/known-facts.ts";

/** A plugin with the package that it comes from. */
export interface LoadedPlugin {
  readonly definition: PluginDefinition;
  /** As in `PROJECT`: the name of the package, or the path of its folder. */
  readonly source: string;
  readonly found: FoundPackage;
  /** The path of the executable, for a plugin that speaks kubebuilder's protocol. */
  readonly executable?: string;
}

/**
 * Loads the plugin of a package, which runs its code, and checks the form of its definition. Throws a CodeNotAllowedError
 * if the user has not allowed the code, and another TsbuilderError if it is not installed, or no plugin.
 */
export function loadPlugin(source: string, root: string): LoadedPlugin {
  const found = requirePackage(source, root);
  requireAllowed(source, found);
  return { definition: checkDefinition(source, importDefault(source, found)), source, found };
}

/** The code of a package in a project, or in a folder above it. */
export type PackageCode = Pick<FoundPackage, "name" | "folder"> & Partial<Pick<FoundPackage, "entry">>;

/** The error for a package that `PROJECT` names or that is installed, but whose code the user has not allowed. */
export class CodeNotAllowedError extends TsbuilderError {
  readonly source: string;
  readonly found: PackageCode;

  constructor(source: string, found: PackageCode) {
    super(`the code of "${source}" in "${found.folder}" may not run before you allow it`, {
      code: "CODE_NOT_ALLOWED",
      hint: `it may have come with the project: look at it, and allow it until one of its files changes: tsbuilder plugins allow ${quoteWord(source)}`,
    });
    this.source = source;
    this.found = found;
  }
}

/**
 * Returns whether the user has allowed a package's code to run, in this folder and with this content. Neither `PROJECT`
 * nor `node_modules` is evidence: a clone can contain both.
 */
export function isAllowed(found: PackageCode): boolean {
  return isKnown(allowedFact(found));
}

/** Remembers that a package may run until its files change; returns why, if only in this process. */
export function allow(found: PackageCode): string | undefined {
  return remember(allowedFact(found))?.reason;
}

/** Throws a CodeNotAllowedError unless the user has allowed the code of a package. */
export function requireAllowed(source: string, found: PackageCode): void {
  if (!isAllowed(found)) throw new CodeNotAllowedError(source, found);
}

function allowedFact({ name, folder, entry }: PackageCode): Fact {
  try {
    return ["allowed", folder, hashFiles(folder, entry)];
  } catch (cause) {
    throw pluginError(name, `its files can't be read: ${messageOf(cause)}`, {
      hint: "install it again, or change the permissions of its files",
      cause,
    });
  }
}

/** Returns a hash of a package's files, without those of other packages in an installed one's `node_modules`. */
function hashFiles(folder: string, entry: string | undefined): string {
  const excluded = folder.split(sep).includes("node_modules") ? [".git", "node_modules"] : [".git"];
  const hash = createHash("sha256");
  const add = (kind: "file" | "link" | "entry", name: string, content: string | Uint8Array): void =>
    void hash.update(`${kind} ${JSON.stringify(name)} ${Buffer.byteLength(content)}\n`).update(content);
  const walk = (below: string): void => {
    const entries = readdirSync(join(folder, below), { withFileTypes: true });
    for (const file of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? file.name : `${below}/${file.name}`;
      if (file.isSymbolicLink()) add("link", path, readlinkSync(join(folder, path)));
      else if (file.isFile()) add("file", path, readFileSync(join(folder, path)));
      else if (file.isDirectory() && !excluded.includes(path)) walk(path);
    }
  };
  walk("");
  // The entry may be in a folder that is excluded.
  if (entry !== undefined) add("entry", relative(folder, entry), readFileSync(entry));
  return hash.digest("hex");
}

/** Finds the package of a plugin without running its code; throws a TsbuilderError if it is not installed. */
export function requirePackage(source: string, root: string): FoundPackage {
  const found = findPackage(source, root);
  if (!found) {
    throw new TsbuilderError(`plugin "${source}" is not installed`, {
      code: "NOT_FOUND",
      hint: isFolder(source)
        ? `there is no package in that folder, which counts from the project's`
        : `install it: ${packageManagerOf(root).addForDevelopment} ${source}`,
    });
  }
  return found;
}

/** Runs the code of a package, and returns its default export, or what a CommonJS module exports. */
function importDefault(source: string, { entry }: FoundPackage): unknown {
  try {
    const module = createRequire(entry)(entry) as unknown;
    return isObject(module) && "default" in module ? module["default"] : module;
  } catch (cause) {
    const isAsync = isObject(cause) && cause["code"] === "ERR_REQUIRE_ASYNC_MODULE";
    throw pluginError(
      source,
      isAsync ? "it awaits at its top level" : `it can't be loaded: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The folder of an installed package, and the file that it exports. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** Its real path. */
  readonly folder: string;
  /** The real path of the file that it exports, in that folder. */
  readonly entry: string;
}

/** `tsbuilder-plugin-grafana` or `@example/tsbuilder-plugin-grafana`. */
export const pluginPackagePattern = /^(?:@[a-z0-9][\w.-]*\/)?tsbuilder-plugin-[a-z0-9][\w.-]*$/u;

export const isFolder = (source: string): boolean =>
  /^\.{1,2}(?:[\\/]|$)/u.test(source) || isAbsolute(source);

/** Finds a package by its name, as Node does from the project's folder, or by the path of its folder. */
export function findPackage(source: string, root: string): FoundPackage | undefined {
  // A package of another name could lead out of node_modules.
  if (!isFolder(source) && !pluginPackagePattern.test(source)) return undefined;
  const folder = isFolder(source)
    ? resolve(root, source)
    : parents(root)
        .map((parent) => join(parent, "node_modules", source))
        .find(isPackage);
  return folder === undefined || !isPackage(folder) ? undefined : readPackage(folder);
}

const isPackage = (folder: string): boolean =>
  statSync(join(folder, "package.json"), { throwIfNoEntry: false })?.isFile() ?? false;

/** Lists the packages around a project whose names are those of plugins. */
export function listPluginPackages(root: string): string[] {
  const folders = parents(root).map((parent) => join(parent, "node_modules"));
  const names = folders.flatMap((folder) =>
    list(folder).flatMap((name) =>
      name.startsWith("@") ? list(join(folder, name)).map((unscoped) => `${name}/${unscoped}`) : [name],
    ),
  );
  return [...new Set(names)].filter((name) => pluginPackagePattern.test(name)).sort();
}

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function parents(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...parents(dirname(folder))];
}

function readPackage(linked: string): FoundPackage {
  const folder = realpathSync(linked);
  const file = join(folder, "package.json");
  const { name, version, description, exports, main } = readJsonObject(
    file,
    readFileSync(file, "utf8"),
    "install it again",
  );
  const entryPath = findEntry(exports) ?? (typeof main === "string" ? main : "index.js");
  const entry = resolveEntry(folder, entryPath);
  if (entry === undefined) {
    throw new TsbuilderError(`"${folder}" has no "${entryPath}", which its package.json names`, {
      code: "NOT_FOUND",
      hint: "build it, or install it again",
    });
  }
  return {
    name: typeof name === "string" ? name : linked,
    version: typeof version === "string" ? version : "0.0.0",
    ...(typeof description === "string" ? { description } : {}),
    folder,
    entry,
  };
}

/** Resolves the entry, only to a regular file of the package itself, which can be hashed and allowed. */
function resolveEntry(folder: string, path: string): string | undefined {
  try {
    const entry = realpathSync(createRequire(join(folder, "package.json")).resolve(join(folder, path)));
    return isInside(folder, entry) && statSync(entry).isFile() ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** The file behind `exports`, by the conditions of `import`. */
function findEntry(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (Array.isArray(exports)) return exports.map(findEntry).find((entry) => entry !== undefined);
  if (!isObject(exports)) return undefined;
  if ("." in exports) return findEntry(exports["."]);
  const conditions = ["node", "import", "module-sync", "default"];
  const known = Object.entries(exports).filter(([name]) => conditions.includes(name));
  return known.map(([, target]) => findEntry(target)).find((entry) => entry !== undefined);
}

const functions = ["init", "createApi", "createWebhook", "edit"] as const;
const fields = ["key", "summary", "deprecated", "templates", "flags", ...functions];

/** Checks the form of a plugin that a package exports, down to its flags; returns a copy. */
function checkDefinition(source: string, value: unknown): PluginDefinition {
  if (!isObject(value)) throw pluginError(source, "its default export is not a plugin");
  // A copy: later changes of the original have no effect.
  const definition = { ...value } as Record<keyof PluginDefinition, unknown>;
  const { key, summary, deprecated, templates, flags = {} } = definition;
  if (typeof key !== "string") throw pluginError(source, 'it has no "key"');
  const invalid = (what: string): TsbuilderError => pluginError(source, what);
  try {
    checkPluginKey(key);
  } catch (error) {
    throw invalid((error as Error).message);
  }
  if (key === pluginKey) throw invalid(`its key "${key}" is the key of tsbuilder itself`);
  const unknown = Object.keys(definition).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, fields);
    throw invalid(
      `it has the unknown field "${shorten(unknown)}"${meant === undefined ? "" : `; did it mean "${meant}"?`}`,
    );
  }
  if (typeof summary !== "string" || summary === "") throw invalid('it has no "summary"');
  if (deprecated !== undefined && typeof deprecated !== "string")
    throw invalid('its "deprecated" is not text');
  if (templates !== undefined && typeof templates !== "string" && !(templates instanceof URL))
    throw invalid('its "templates" is neither a path nor a URL');
  for (const name of functions) {
    if (definition[name] !== undefined && typeof definition[name] !== "function")
      throw invalid(`its "${name}" is not a function`);
  }
  if (!isObject(flags)) throw invalid('its "flags" are not an object');
  for (const [name, flag] of Object.entries(flags)) checkFlag(name, flag, invalid);
  return definition as unknown as PluginDefinition;
}

const commands: readonly PluginCommand[] = ["init", "create api", "create webhook", "edit"];

const flagFields: readonly string[] =
  "type summary commands placeholder default choices pattern required prompt".split(" ");

function checkFlag(name: string, flag: unknown, invalid: (what: string) => TsbuilderError): void {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name) || name.startsWith("no-"))
    throw invalid(`its flag "${shorten(name)}" needs a name like "dashboard-folder"`);
  if (!isObject(flag)) throw invalid(`its flag --${name} is not an object`);
  const unknown = Object.keys(flag).find((field) => !flagFields.includes(field));
  if (unknown !== undefined) throw invalid(`its flag --${name} has the unknown field "${shorten(unknown)}"`);
  const {
    type,
    summary,
    commands: flagCommands,
    choices,
    pattern,
  } = flag as Partial<Record<keyof PluginFlag, unknown>>;
  if (!["string", "boolean", "number", "list"].includes(String(type)))
    throw invalid(`its flag --${name} has no type: string, boolean, number or list`);
  if (typeof summary !== "string") throw invalid(`its flag --${name} has no "summary"`);
  if (
    !Array.isArray(flagCommands) ||
    flagCommands.length === 0 ||
    !flagCommands.every((item) => commands.includes(item as never))
  )
    throw invalid(`its flag --${name} needs "commands", some of ${commands.join(", ")}`);
  if (choices !== undefined && !(Array.isArray(choices) && choices.every((item) => typeof item === "string")))
    throw invalid(`its flag --${name} has choices that are not texts`);
  if (pattern !== undefined && !(pattern instanceof RegExp))
    throw invalid(`its flag --${name} has a pattern that is no regular expression`);
  const defaultValue = (flag as Partial<PluginFlag>).default;
  const expected = { string: "string", boolean: "boolean", number: "number" }[String(type)];
  if (defaultValue !== undefined && typeof defaultValue !== expected)
    throw invalid(`its flag --${name} has a default that is not of its type`);
}
