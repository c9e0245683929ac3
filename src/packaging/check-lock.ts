import { isObject } from "@tsbuilder/apimachinery/json";
import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import { compareText } from "@tsbuilder/apimachinery/text";
import { integrityOf } from "./lock-file.ts";

/** A `package-lock.json`, as far as we read it. */
export interface PackageLock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** A package of a lock file, or the project itself. */
interface LockEntry extends Dependencies {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
}

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package whose dependency a lock file lacks. */
interface LackingPackage {
  readonly name: string;
  readonly version: string;
  readonly needs: string;
}

/**
 * The packages of a lock file that need what is not in it. `npm install` leaves out optional dependencies that the registry
 * doesn't have, and `npm ci` refuses a lock file without them.
 */
export function lackingPackages({ packages }: PackageLock): LackingPackage[] {
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .flatMap(([path, { version = "", dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((needs) => !isFound(packages, path, needs))
        .map((needs) => ({ name: path.split(modules).at(-1)!, version, needs })),
    );
}

const modules = "node_modules/";

/** Node looks for a package in the folders above, too. */
function isFound(packages: PackageLock["packages"], from: string, name: string): boolean {
  const above = from.lastIndexOf(`/${modules}`);
  if (from === "") return `${modules}${name}` in packages;
  return (
    `${from}/${modules}${name}` in packages ||
    isFound(packages, above === -1 ? "" : from.slice(0, above), name)
  );
}

/** The dependencies of a `package.json` that its lock file lacks, or has in a version that it doesn't allow. */
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

/** Compares the ranges that npm writes by itself, `^` and `~`; all others are left to npm. */
function isAllowed(specifier: string, { version = "", resolved }: LockEntry): boolean {
  if (specifier.startsWith("file:") && specifier.endsWith(".tgz")) return resolved === specifier;
  const [, operator, number = ""] = /^([\^~]?)(\d.*)$/u.exec(specifier) ?? [];
  const [least, one] = [number, version].map(parseSemver);
  if (least === undefined || one === undefined) return true;
  if (operator === "") return number === version;
  const end = operator === "~" ? 1 : least.numbers.findIndex((part) => part !== 0n);
  const fixed = end === -1 ? 3 : end + 1;
  const isBelow = least.numbers.slice(0, fixed).every((part, index) => part === one.numbers[index]);
  return isBelow && compareSemver(one, least) >= 0;
}

/** The tarballs that a lock file names with another content than they have, or that are not there. */
export function staleTarballs(
  { packages }: PackageLock,
  readFile: (path: string) => Uint8Array | undefined,
): { readonly path: string; readonly isThere: boolean }[] {
  return Object.values(packages).flatMap(({ resolved = "", integrity }) => {
    const path = /^file:(.+\.tgz)$/u.exec(resolved)?.[1];
    if (path === undefined || integrity === undefined) return [];
    const bytes = readFile(path);
    return bytes !== undefined && integrityOf(bytes) === integrity
      ? []
      : [{ path, isThere: bytes !== undefined }];
  });
}

/** The versions that a lock file chose, as a text to compare: npm rewrites all else as it likes. */
export function lockedVersions({ packages }: PackageLock): string {
  const lines = Object.entries(packages).map(([path, { version = "" }]) => `${path} ${version}\n`);
  return lines.toSorted(compareText).join("");
}

/** Undefined for a text that npm would not take for a lock file. */
export function readLock(text: string | undefined): PackageLock | undefined {
  try {
    const lock = JSON.parse(text ?? "") as Partial<PackageLock> | null;
    return isObject(lock?.packages) && Object.values(lock.packages).every(isObject)
      ? (lock as PackageLock)
      : undefined;
  } catch {
    return undefined;
  }
}
