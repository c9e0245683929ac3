import { posix } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import { compareText } from "@tsbuilder/apimachinery/text";
import { parseJson } from "../shared/read-json.ts";
import { integrityOf } from "./lock-file.ts";

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package of a lock file, or the project itself. */
interface LockEntry extends Dependencies {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
}

/** A `package-lock.json`, as far as we read it. */
export interface PackageLock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** How paths of packages in a lock file begin. */
const modules = "node_modules/";

/**
 * Returns the packages of a lock file that need a package which it lacks. `npm install` leaves out optional dependencies that the
 * registry doesn't have, and `npm ci` rejects a lock file without them.
 */
export function lackingPackages({ packages }: PackageLock) {
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .flatMap(([path, { version = "", dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((needs) => !isResolvable(packages, path, needs))
        .map((needs) => ({ name: path.split(modules).at(-1)!, version, needs })),
    );
}

/** Returns whether Node finds a package: in the `node_modules` of its dependent, or in one above. */
function isResolvable(packages: PackageLock["packages"], from: string, name: string): boolean {
  const above = from.lastIndexOf(`/${modules}`);
  if (from === "") return `${modules}${name}` in packages;
  return (
    `${from}/${modules}${name}` in packages ||
    isResolvable(packages, above === -1 ? "" : from.slice(0, above), name)
  );
}

/** Returns the dependencies of a `package.json` that its lock file lacks, or has in a version out of range. */
export function unlockedPackages({ packages }: PackageLock, manifest: Dependencies): string[] {
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  return Object.entries(wanted)
    .filter(([name, specifier]) => {
      const locked = packages[`${modules}${name}`];
      return locked === undefined || !isAllowed(specifier, locked);
    })
    .map(([name]) => name)
    .toSorted();
}

/** Compares a locked version with a tarball or a range that npm writes by itself, `^` or `~`; other specifiers pass. */
function isAllowed(specifier: string, { version = "", resolved }: LockEntry): boolean {
  const tarball = tarballOf(specifier);
  if (tarball !== undefined) return tarballOf(resolved) === tarball;
  const [, operator, number = ""] = /^([\^~]?)(\d.*)$/u.exec(specifier) ?? [];
  const [lowest, locked] = [number, version].map(parseSemver);
  if (lowest === undefined || locked === undefined) return true;
  if (operator === "") return number === version;
  // `~` fixes major and minor, `^` the numbers up to the first that is not zero.
  const lastFixed = operator === "~" ? 1 : lowest.numbers.findIndex((part) => part !== 0n);
  const fixedCount = lastFixed === -1 ? 3 : lastFixed + 1;
  const hasFixed = lowest.numbers.slice(0, fixedCount).every((part, index) => part === locked.numbers[index]);
  return hasFixed && compareSemver(locked, lowest) >= 0;
}

/** Returns the path of the tarball in a specifier. npm writes `file:./vendor/x.tgz` without the dot into a lock file. */
function tarballOf(specifier = ""): string | undefined {
  const path = /^file:(.+\.tgz)$/u.exec(specifier)?.[1];
  return path === undefined ? undefined : posix.normalize(path);
}

/** Returns the tarballs in the project that are missing, or whose content is not the one in the lock file. */
export function staleTarballs(
  { packages }: PackageLock,
  readFile: (path: string) => Uint8Array | undefined,
): { readonly path: string; readonly isThere: boolean }[] {
  return Object.values(packages).flatMap(({ resolved, integrity }) => {
    const path = tarballOf(resolved);
    // Only the project's own files are checked: another place may exist on other machines.
    if (path === undefined || integrity === undefined || posix.isAbsolute(path) || path.startsWith("../"))
      return [];
    const bytes = readFile(path);
    return bytes !== undefined && integrityOf(bytes) === integrity
      ? []
      : [{ path, isThere: bytes !== undefined }];
  });
}

/** Returns the versions in a lock file as a text to compare. npm rewrites the rest of the file at will. */
export function lockedVersions({ packages }: PackageLock): string {
  const lines = Object.entries(packages).map(([path, { version = "" }]) => `${path} ${version}\n`);
  return lines.toSorted(compareText).join("");
}

/** Returns whether npm 6 wrote a lock file. It lists packages in another way, and `npm ci` accepts it. */
export function isOfNpm6(text: string): boolean {
  const lock = parseJson(text);
  return isObject(lock) && lock["lockfileVersion"] === 1;
}

/** Parses a lock file. Returns undefined for a text that npm would not take for one. */
export function readLock(text: string | undefined): PackageLock | undefined {
  const lock = parseJson(text ?? "");
  return isObject(lock) && isObject(lock["packages"]) && Object.values(lock["packages"]).every(isObject)
    ? (lock as unknown as PackageLock)
    : undefined;
}
