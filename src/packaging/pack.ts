// The tarballs of our own packages. This file packs the repository's packages for `vendor/` or for a registry. `build.ts`
// builds everything that is packed, `vendor.ts` finds it for a project, `lock-file.ts` names it in lock files.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type PackedFile, readMappedSources, readPackageFiles, writeTarball } from "./tarball.ts";

/** The folders of our libraries in the repository, in order of their dependencies. */
export const libraryFolders = ["src/apimachinery", "src/runtime", "src/cluster", "src/simulation"];

/** The folders of all packages that are published. */
export const packageFolders = [...libraryFolders, ".", "src/create"];

/** Reads the libraries to be packed. They must be compiled. */
export function readLibraries(root: string): PackageSource[] {
  return libraryFolders.map((folder) => readSource(root, folder, ["dist", "README.md", "NOTICE"]));
}

/** Reads tsbuilder to be packed. It must be bundled. A development build also contains the libraries' tarballs. */
export function readCli(root: string, withTarballs: boolean): PackageSource {
  const tarballs = withTarballs ? ["dist/vendor"] : [];
  return readSource(root, ".", ["bin", "dist/cli", "dist/lib", "templates/locks", ...tarballs, "README.md"]);
}

/** Reads the package that `npm create tsbuilder` runs. */
export function readCreate(root: string): PackageSource {
  return readSource(root, "src/create", ["bin", "README.md"]);
}

/** Declaration maps of generated sources, which are left out: the sources are large and say no more than the declarations. */
const generatedMap = /^dist\/(?:k8s|kinds\/generated)\/.*\.d\.ts\.map$/u;

function readSource(root: string, path: string, entries: readonly string[]): PackageSource {
  const folder = join(root, path);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
  const files = readPackageFiles(folder, entries).filter((file) => !generatedMap.test(file.path));
  const license = readPackageFiles(root, ["LICENSE"]);
  return { manifest, directory: path, files: [...files, ...readMappedSources(folder, files), ...license] };
}

/** One of our packages before it is packed. */
export interface PackageSource {
  readonly manifest: PackageManifest;
  readonly files: readonly PackedFile[];
  readonly directory?: string;
}

/** The fields of a `package.json` that packing reads or drops; all others are kept. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The tarball of one of our packages, with its content hash in the file name. */
export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/**
 * Packs packages that depend on each other, in order of their dependencies. The version contains a content hash
 * (`0.1.0-dev.<hash>`), because npm caches a fixed version; a dependency on a sibling becomes a `file:` reference to
 * its tarball, because a registry must not be asked for our names.
 */
export function packSiblings(sources: readonly PackageSource[]): Tarball[] {
  const packed = new Map<string, Tarball>();
  for (const source of sources) packed.set(source.manifest.name, pack(source, packed));
  return [...packed.values()];
}

/** Fields in the `package.json` of released packages. */
const releaseFields = { publishConfig: { access: "public" }, tsbuilder: { released: true } } as const;

/**
 * Packs packages for a registry. All have one version. They depend on libraries by its range, but on the CLI exactly. Their
 * manifests name their origin, and say that they are released: only then does tsbuilder write ranges of our names into
 * projects.
 */
export function packReleases(
  sources: readonly PackageSource[],
  version: string,
  originOf: (directory: string) => Readonly<Record<string, unknown>>,
): Tarball[] {
  const siblings = new Set(sources.map(({ manifest }) => manifest.name));
  const rangeOf = (name: string): string | undefined => {
    if (!siblings.has(name)) return undefined;
    return name === "tsbuilder" ? version : `^${version}`;
  };
  return sources.map(({ manifest, files, directory = "." }) =>
    writePackage(
      { ...withRanges(manifest, rangeOf), ...originOf(directory), ...releaseFields },
      version,
      files,
    ),
  );
}

/** Returns the file name that npm gives a package's tarball. */
export function tarballName(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

function pack({ manifest, files }: PackageSource, siblings: ReadonlyMap<string, Tarball>): Tarball {
  const published = withRanges(manifest, (name) => {
    const sibling = siblings.get(name);
    return sibling && `file:./${sibling.fileName}`;
  });
  return writePackage(published, `${manifest.version}-dev.${hashContent(published, files)}`, files);
}

/** Fields that only apply in this repository. */
const repositoryFields = new Set(["private", "workspaces", "scripts", "devDependencies", "files", "knip"]);

/** Returns a manifest without the fields of the repository, and with other ranges for siblings. */
function withRanges(
  manifest: PackageManifest,
  rangeOf: (name: string) => string | undefined,
): Record<string, unknown> & { name: string } {
  const kept = Object.entries(manifest)
    .filter(([field]) => !repositoryFields.has(field))
    .map(([field, value]) => [field, field === "exports" ? withoutSources(value) : value] as const);
  const ranges = Object.entries(manifest.dependencies ?? {}).map(
    ([name, range]) => [name, rangeOf(name) ?? range] as const,
  );
  return { ...Object.fromEntries(kept), name: manifest.name, dependencies: Object.fromEntries(ranges) };
}

/** Removes the condition from `exports` by which the repository runs from its sources. */
function withoutSources(exports: unknown): unknown {
  const text = JSON.stringify(exports, (key, value: unknown) =>
    key === "@tsbuilder/source" ? undefined : value,
  );
  return JSON.parse(text) as unknown;
}

function writePackage(
  manifest: Record<string, unknown> & { name: string },
  version: string,
  files: readonly PackedFile[],
): Tarball {
  const content = Buffer.from(`${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  const packed = [...files.filter(({ path }) => path !== "package.json"), { path: "package.json", content }];
  const fileName = tarballName(manifest.name, version);
  return { name: manifest.name, version, fileName, bytes: writeTarball(packed) };
}

function hashContent(manifest: unknown, files: readonly PackedFile[]): string {
  const hash = createHash("sha256").update(JSON.stringify(manifest));
  for (const file of files.toSorted((a, b) => compareText(a.path, b.path))) {
    if (file.path !== "package.json") hash.update(`\0${file.path}\0`).update(file.content);
  }
  // A numeric prerelease identifier must not have a leading zero; a letter in front makes it alphanumeric.
  return `h${hash.digest("hex").slice(0, 10)}`;
}
