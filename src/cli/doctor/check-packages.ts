import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npm, packageManagerOf, placeInRepository, workspaceOf } from "../../project/package-manager.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { ownSpecifiers, readManifest } from "../packages/manifest.ts";
import type { Finding } from "../reporting/report.ts";
import {
  isOfNpm6,
  lackingPackages,
  readLock,
  staleTarballs,
  unlockedPackages,
} from "../../packaging/check-lock.ts";

/** Finds packages in `package.json` that are not installed, and packages of tsbuilder that don't fit together. */
export function checkPackages(root: string, tree: Tree): Finding[] {
  const text = tree.read("package.json");
  const names = text === undefined ? undefined : readPackageNames(text);
  if (names === undefined)
    return [unreadable(text === undefined ? "the file is missing" : "the file is not valid JSON")];
  return [...checkVersions(text!), ...checkInstalled(root, names)];
}

/** Reads the names of all dependencies; undefined if the text is not JSON. */
function readPackageNames(text: string): string[] | undefined {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<string, object>;
    return Object.keys({ ...dependencies, ...devDependencies });
  } catch {
    return undefined;
  }
}

const unreadable = (message: string): Finding =>
  wrong("package.json", message, "fix it, or restore it from version control");

/**
 * Finds packages of tsbuilder that don't fit together. All must be from a registry or all in `vendor/`, and of one
 * version, or of ranges in which the same version is found. The version of a tarball is compared without the hash of its
 * content, in which it ends.
 */
function checkVersions(text: string): Finding[] {
  const specifiers = ownSpecifiers(JSON.parse(text) as Parameters<typeof ownSpecifiers>[0]);
  const versions = new Set([...specifiers.values()].map(compatibility));
  const sources = new Set([...specifiers.values()].map(isTarball));
  if (versions.size <= 1 && sources.size <= 1) return [];
  const shown = [...specifiers].map(([name, specifier]) => `${name} ${specifier}`).join(", ");
  return [
    wrong(
      "package.json",
      `tsbuilder's packages are of different versions: ${shown}`,
      "restore the versions from version control; tsbuilder upgrade of a newer version moves all of them",
    ),
  ];
}

const isTarball = (specifier: string): boolean => specifier.startsWith("file:");

/** Returns the part of a version that `^` keeps, since Dependabot moves the rest. For a tarball, its version. */
function compatibility(specifier: string): string | undefined {
  const [version, major, minor] = /(\d+)(?:\.(\d+))?[.\d]*/u.exec(specifier) ?? [];
  if (isTarball(specifier)) return version;
  return major === "0" ? `0.${minor}` : major;
}

function checkInstalled(root: string, names: readonly string[]): Finding[] {
  const missing = names.filter((name) => !isInstalled(root, name));
  if (missing.length === 0) return [];
  const shown = missing.slice(0, 3).join(", ") + (missing.length > 3 ? " and others" : "");
  const message = `${missing.length === 1 ? `${shown} is` : `${shown} are`} not installed`;
  return [wrong("packages", message, packageManagerOf(root).install)];
}

/** Returns whether a package is installed. Yarn's Plug'n'Play has no folders of packages to look into. */
function isInstalled(root: string, name: string): boolean {
  if (existsSync(join(root, "node_modules", name, "package.json")) || existsSync(join(root, ".pnp.cjs")))
    return true;
  return dirname(root) !== root && isInstalled(dirname(root), name);
}

/** Finds files that do nothing where they are, because the project isn't the root of its repository or workspace. */
export function checkPlace(root: string, tree: Tree): Finding[] {
  const [place, workspace] = [placeInRepository(root), workspaceOf(root)];
  const up = place?.replaceAll(/[^/]+/gu, "..");
  const unread = tree.has(".github/workflows") && {
    subject: ".github",
    message: "GitHub reads it in the root of a repository only",
    remedy: `mkdir -p ${up}/.github && git mv .github/* ${up}/.github; the workflows say where the project is`,
  };
  const own = packageManagerOf(root).lockFiles.some((file) => tree.has(file));
  const unbuilt = /^COPY package\.json \S*lock/mu.test(tree.read("Dockerfile") ?? "") && {
    subject: "Dockerfile",
    message: `it copies a lock file, and the only one is that of the workspace, "${workspace}"`,
    remedy: `have it copy what it needs of the workspace, and build it there: docker build --file ${place ?? "PROJECT"}/Dockerfile .`,
  };
  return [place !== undefined && unread, workspace !== undefined && !own && unbuilt]
    .filter((finding) => finding !== false)
    .map((finding) => ({ state: "missing", ...finding }));
}

/** Finds why `npm ci` would refuse the lock file. Images and workflows install with it. */
export function checkLock(root: string, tree: Tree): Finding[] {
  const manifest = readManifest(tree.read("package.json") ?? "");
  if (manifest === undefined || packageManagerOf(root) !== npm || workspaceOf(root) !== undefined) return [];
  // npm prefers npm-shrinkwrap.json to package-lock.json.
  const lockFile = npm.lockFiles.findLast((file) => tree.has(file)) ?? npm.lockFiles[0];
  const refused = (message: string, remedy = "npm install"): Finding => wrong(lockFile, message, remedy);
  const text = tree.read(lockFile);
  if (text === undefined)
    return [{ ...refused("the file is missing: npm ci, and so the image, needs it"), state: "missing" }];
  if (isOfNpm6(text)) return [];
  const lock = readLock(text);
  if (lock === undefined)
    return [refused("npm can't read it", "restore it from version control, or delete it; then npm install")];
  const unlocked = unlockedPackages(lock, manifest);
  if (unlocked.length > 0)
    return [refused(`npm ci refuses it: it lacks what package.json asks for of ${quoted(unlocked)}`)];
  const lacking = lackingPackages(lock).map(({ name, version, needs }) =>
    refused(
      `npm ci refuses it: it lacks "${needs}", which ${name} ${version} needs`,
      `npm install; if that changes nothing, your registry lacks "${needs}": choose another version of ${name}, by npm install --save-dev ${name}@VERSION`,
    ),
  );
  const stale = staleTarballs(lock, (path) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  }).map(({ path, isThere }) =>
    refused(
      `npm ci refuses it: "${path}" ${isThere ? "has another content than it says" : "is missing"}`,
      `restore "${path}" and "${lockFile}" from version control`,
    ),
  );
  return [...lacking, ...stale];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** Something that a command will fail on, or has done already. */
export const wrong = (subject: string, message: string, remedy: string): Finding => ({
  state: "wrong",
  subject,
  message,
  remedy,
});
