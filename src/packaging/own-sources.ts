import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PackageManifest, PackageSource } from "./pack.ts";
import { readMappedSources, readPackageFiles } from "./tarball.ts";

/** The folders of our libraries in the repository, in order of their dependencies. */
export const libraryFolders = ["apimachinery", "runtime", "cluster", "simulation"].map(
  (name) => `src/${name}`,
);

/** The folders of all our packages. */
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

/** Declaration maps of generated sources. They are left out: the sources say no more than the declarations, and are large. */
const generated = /^dist\/(?:k8s|kinds\/generated)\/.*\.d\.ts\.map$/u;

function readSource(root: string, path: string, entries: readonly string[]): PackageSource {
  const folder = join(root, path);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
  const files = readPackageFiles(folder, entries).filter((file) => !generated.test(file.path));
  const license = readPackageFiles(root, ["LICENSE"]);
  return { manifest, directory: path, files: [...files, ...readMappedSources(folder, files), ...license] };
}
