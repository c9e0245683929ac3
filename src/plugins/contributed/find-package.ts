import { isObject } from "@tsbuilder/apimachinery/json";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readJsonObject } from "../../shared/read-json.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isInside } from "../../shared/files.ts";

/** The folder of an installed package, and the file that it exports. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  /** The real path. */
  readonly folder: string;
  /** The real path of a file in that folder. */
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
  return folder === undefined || !isPackage(folder) ? undefined : describe(folder);
}

const isPackage = (folder: string): boolean =>
  statSync(join(folder, "package.json"), { throwIfNoEntry: false })?.isFile() ?? false;

/** Lists the packages around a project whose names are those of plugins. */
export function listPluginPackages(root: string): string[] {
  const folders = parents(root).map((parent) => join(parent, "node_modules"));
  const names = folders.flatMap((folder) =>
    list(folder).flatMap((name) =>
      name.startsWith("@") ? list(join(folder, name)).map((own) => `${name}/${own}`) : [name],
    ),
  );
  return [...new Set(names)].filter((name) => pluginPackagePattern.test(name)).sort();
}

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

function parents(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...parents(dirname(folder))];
}

function describe(linked: string): FoundPackage {
  const folder = realpathSync(linked);
  const file = join(folder, "package.json");
  const { name, version, description, exports, main } = readJsonObject(
    file,
    readFileSync(file, "utf8"),
    "install it again",
  );
  const named = findEntry(exports) ?? (typeof main === "string" ? main : "index.js");
  const entry = resolveEntry(folder, named);
  if (entry === undefined) {
    throw new TsbuilderError(`"${folder}" has no "${named}", which its package.json names`, {
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

/**
 * Resolves the entry without Node's rules for extensions and folders: only a regular file of the package itself can be
 * hashed and allowed.
 */
function resolveEntry(folder: string, named: string): string | undefined {
  try {
    const entry = realpathSync(createRequire(join(folder, "package.json")).resolve(join(folder, named)));
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
