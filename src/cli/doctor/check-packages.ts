import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageManagerOf } from "../../project/package-manager.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { ownSpecifiers } from "../upgrade/own-specifiers.ts";
import type { Finding } from "./finding.ts";

/** Whether the packages that `package.json` names are installed, be it in a folder above the project. */
export function checkPackages(root: string, tree: Tree): Finding[] {
  const text = tree.read("package.json");
  const names = text === undefined ? undefined : namesIn(text);
  if (names === undefined)
    return [unreadable(text === undefined ? "the file is missing" : "the file is not valid JSON")];
  return [...checkVersions(text!), ...checkInstalled(root, names)];
}

function checkInstalled(root: string, names: readonly string[]): Finding[] {
  const missing = names.filter((name) => !isInstalled(root, name));
  if (missing.length === 0) return [];
  const shown = missing.slice(0, 3).join(", ") + (missing.length > 3 ? " and others" : "");
  return [
    {
      state: "wrong",
      subject: "packages",
      message: `${missing.length === 1 ? `${shown} is` : `${shown} are`} not installed`,
      remedy: packageManagerOf(root).install,
    },
  ];
}

/**
 * Our packages are made for each other: all from a registry or all in `vendor/`, and of one version, or of ranges in
 * which the same is found. Of tarballs, only the numbers are compared: each has a hash of its own content.
 */
function checkVersions(text: string): Finding[] {
  const specifiers = ownSpecifiers(JSON.parse(text) as Parameters<typeof ownSpecifiers>[0]);
  const versions = new Set([...specifiers.values()].map(compatibility));
  const sources = new Set([...specifiers.values()].map(isTarball));
  if (versions.size <= 1 && sources.size <= 1) return [];
  const shown = [...specifiers].map(([name, specifier]) => `${name} ${specifier}`).join(", ");
  return [
    {
      state: "wrong",
      subject: "package.json",
      message: `tsbuilder's packages are of different versions: ${shown}`,
      remedy:
        "restore the versions from version control; tsbuilder upgrade of a newer version moves all of them",
    },
  ];
}

const isTarball = (specifier: string): boolean => specifier.startsWith("file:");

/** What `^` keeps of a version; Dependabot moves the rest. Of a tarball, its version. */
function compatibility(specifier: string): string | undefined {
  const [version, major, minor] = /(\d+)(?:\.(\d+))?[.\d]*/u.exec(specifier) ?? [];
  if (isTarball(specifier)) return version;
  return major === "0" ? `0.${minor}` : major;
}

/** Yarn's Plug'n'Play has no folders of packages. */
function isInstalled(root: string, name: string): boolean {
  if (existsSync(join(root, "node_modules", name, "package.json")) || existsSync(join(root, ".pnp.cjs")))
    return true;
  return dirname(root) !== root && isInstalled(dirname(root), name);
}

const unreadable = (message: string): Finding => ({
  state: "wrong",
  subject: "package.json",
  message,
  remedy: "fix it, or restore it from version control",
});

function namesIn(text: string): string[] | undefined {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<string, object>;
    return Object.keys({ ...dependencies, ...devDependencies });
  } catch {
    return undefined;
  }
}
