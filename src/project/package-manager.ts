import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What installs the project's packages, with its commands as messages name them. */
export interface PackageManager {
  readonly name: string;
  readonly lockFiles: readonly string[];
  /** Installs what `package.json` asks for. */
  readonly install: string;
  /** Installs what the lock file says. */
  readonly installLocked: string;
  /** Adds the package whose name and version follow. */
  readonly add: string;
  readonly addForDevelopment: string;
}

const npm: PackageManager = {
  name: "npm",
  lockFiles: ["package-lock.json", "npm-shrinkwrap.json"],
  install: "npm install",
  installLocked: "npm ci",
  add: "npm install",
  addForDevelopment: "npm install --save-dev",
};

const yarn: PackageManager = {
  name: "yarn",
  lockFiles: ["yarn.lock"],
  install: "yarn install",
  installLocked: "yarn install --immutable",
  add: "yarn add",
  addForDevelopment: "yarn add --dev",
};

const others: readonly PackageManager[] = [
  {
    name: "pnpm",
    lockFiles: ["pnpm-lock.yaml"],
    install: "pnpm install",
    installLocked: "pnpm install --frozen-lockfile",
    add: "pnpm add",
    addForDevelopment: "pnpm add --save-dev",
  },
  yarn,
  {
    name: "bun",
    lockFiles: ["bun.lock", "bun.lockb"],
    install: "bun install",
    installLocked: "bun install --frozen-lockfile",
    add: "bun add",
    addForDevelopment: "bun add --dev",
  },
];

/** The package manager whose lock file a project has; npm if it has npm's, or none. */
export function packageManagerOf(root: string): PackageManager {
  const [found = npm] = [npm, ...others].filter(({ lockFiles }) =>
    lockFiles.some((file) => existsSync(join(root, file))),
  );
  return found === yarn && isOfYarn1(root)
    ? { ...yarn, installLocked: "yarn install --frozen-lockfile" }
    : found;
}

/** Later versions begin their lock file with data about it. */
function isOfYarn1(root: string): boolean {
  return !readFileSync(join(root, "yarn.lock"), "utf8").includes("__metadata:");
}
