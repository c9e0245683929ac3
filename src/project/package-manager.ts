import { existsSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { parse } from "yaml";

/** A package manager, with its commands as messages name them. */
export interface PackageManager {
  readonly name: string;
  /** The names of its lock file: the present one first, then those of older versions. */
  readonly lockFiles: readonly [string, ...string[]];
  /** Installs the dependencies in `package.json`. */
  readonly install: string;
  /** Installs the versions in the lock file. */
  readonly installLocked: string;
  /** Adds the package whose name and version follow. */
  readonly add: string;
  readonly addForDevelopment: string;
  /** As `installLocked`, on a machine that has only Node and npm. */
  readonly installAnywhere: string;
  /** As `installLocked`, in an image, from the registry `NPM_REGISTRY` and without running scripts of packages. */
  readonly installInImage: string;
}

export const npm: PackageManager = {
  name: "npm",
  lockFiles: ["package-lock.json", "npm-shrinkwrap.json"],
  install: "npm install",
  installLocked: "npm ci",
  add: "npm install",
  addForDevelopment: "npm install --save-dev",
  installAnywhere: "npm ci",
  installInImage: "npm ci --ignore-scripts --no-fund --registry=${NPM_REGISTRY}",
};

export const yarn: PackageManager = {
  name: "yarn",
  lockFiles: ["yarn.lock"],
  install: "yarn install",
  installLocked: "yarn install --immutable",
  add: "yarn add",
  addForDevelopment: "yarn add --dev",
  installAnywhere: "npx --yes @yarnpkg/cli-dist@4 install --immutable",
  installInImage:
    "YARN_NPM_REGISTRY_SERVER=${NPM_REGISTRY} npx --yes --registry=${NPM_REGISTRY} @yarnpkg/cli-dist@4 install --immutable --mode=skip-build",
};

/** Yarn 1, whose lock file has the name of that of later versions, and another format. */
export const yarn1: PackageManager = { ...yarn, installLocked: "yarn install --frozen-lockfile" };

export const packageManagers: readonly PackageManager[] = [
  npm,
  {
    name: "pnpm",
    lockFiles: ["pnpm-lock.yaml"],
    install: "pnpm install",
    installLocked: "pnpm install --frozen-lockfile",
    add: "pnpm add",
    addForDevelopment: "pnpm add --save-dev",
    installAnywhere: "npx --yes pnpm@10 install --frozen-lockfile",
    installInImage:
      "npx --yes --registry=${NPM_REGISTRY} pnpm@10 install --frozen-lockfile --ignore-scripts --registry=${NPM_REGISTRY}",
  },
  yarn,
  {
    name: "bun",
    lockFiles: ["bun.lock", "bun.lockb"],
    install: "bun install",
    installLocked: "bun install --frozen-lockfile",
    add: "bun add",
    addForDevelopment: "bun add --dev",
    installAnywhere: "npx --yes bun@1 install --frozen-lockfile",
    installInImage:
      "npx --yes --registry=${NPM_REGISTRY} bun@1 install --frozen-lockfile --ignore-scripts --registry=${NPM_REGISTRY}",
  },
];

/** Returns the package manager whose lock file a project or its workspace has; npm if there is none. */
export function packageManagerOf(root: string): PackageManager {
  return findByLockFile(root) ?? findByLockFile(workspaceOf(root)) ?? npm;
}

function findByLockFile(folder: string | undefined): PackageManager | undefined {
  if (folder === undefined) return undefined;
  const found = packageManagers.find(({ lockFiles }) =>
    lockFiles.some((file) => existsSync(join(folder, file))),
  );
  if (found !== yarn) return found;
  return readFileSync(join(folder, "yarn.lock"), "utf8").includes("yarn lockfile v1") ? yarn1 : yarn;
}

/**
 * Returns the folder above a project of whose workspace the project is a member: all members share the lock file there.
 */
export function workspaceOf(root: string): string | undefined {
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    const member = relative(folder, root).split(sep);
    if (workspacePatterns(folder).some((pattern) => matchesFolders(pattern, member))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Returns the path of a project from the root of its git repository; undefined if it is the root, or in no repository. A
 * home folder is a repository of settings, which ignores the projects below it.
 */
export function placeInRepository(root: string, home = homedir()): string | undefined {
  const isHome = (folder: string): boolean =>
    existsSync(folder) && existsSync(home) && realpathSync(folder) === realpathSync(home);
  for (let folder = root; !isHome(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return relative(folder, root).split(sep).join("/") || undefined;
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}

/** Reads the patterns of members' folders, as npm, Yarn and Bun write them, or pnpm. */
function workspacePatterns(folder: string): string[][] {
  const { workspaces } = readIfPossible(join(folder, "package.json"), JSON.parse);
  const { packages } = readIfPossible(join(folder, "pnpm-workspace.yaml"), (text) =>
    parse(text, { logLevel: "error", stringKeys: true }),
  );
  const listed = isObject(workspaces) ? workspaces["packages"] : workspaces;
  return [listed, packages]
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .map((pattern) =>
      String(pattern)
        .split("/")
        .filter((part) => part !== "." && part !== ""),
    );
}

/** Reads the members of a file above the project: none if it is missing or can't be read. */
function readIfPossible(file: string, read: (text: string) => unknown): Readonly<Record<string, unknown>> {
  try {
    const content = read(readFileSync(file, "utf8"));
    return isObject(content) ? content : {};
  } catch {
    return {};
  }
}

/** Returns true if a workspace's pattern matches folders: `*` is a part of a folder's name, and `**` any number of folders. */
function matchesFolders([first, ...others]: readonly string[], folders: readonly string[]): boolean {
  const [folder, ...below] = folders;
  if (first === undefined) return folder === undefined;
  if (first === "**" && others[0] === "**") return matchesFolders(others, folders);
  if (first === "**" && matchesFolders(others, folders)) return true;
  if (folder === undefined) return false;
  if (first === "**") return matchesFolders([first, ...others], below);
  const [start = "", ...ends] = first.split("*");
  const isSame =
    ends.length === 0 ? folder === first : folder.startsWith(start) && folder.endsWith(ends.at(-1)!);
  return isSame && matchesFolders(others, below);
}
