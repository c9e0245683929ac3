import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { findOwnPackage } from "./own-package.ts";
import { type Tarball, tarballName } from "./pack.ts";
import { readPackageFiles, writeTarball } from "./tarball.ts";

/** The names of our packages in a project's `package.json`. */
export const ownPackageNames = [
  "@tsbuilder/apimachinery",
  "@tsbuilder/runtime",
  "@tsbuilder/cluster",
  "@tsbuilder/simulation",
  "tsbuilder",
] as const;

type OwnPackageName = (typeof ownPackageNames)[number];

/**
 * Reads the tarballs of our packages for a project's `vendor/` folder, in the version of the running tsbuilder. The
 * repository has all of them after a build; an installed tsbuilder contains the others and packs itself.
 */
export function readVendorTarballs(ownPackage = findOwnPackage()): Map<OwnPackageName, Tarball> {
  const folder = join(ownPackage.folder, "dist", "vendor");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".tgz")) : [];
  const packed = names.map((fileName) => readTarballFile(folder, fileName));
  const tarballs = new Map(packed.map((tarball) => [tarball.name as OwnPackageName, tarball]));
  if (!tarballs.has("@tsbuilder/runtime")) {
    throw new TsbuilderError(`tsbuilder's own packages not found in "${folder}"`, {
      code: "NOT_FOUND",
      hint: "build them first: npm run build (in tsbuilder's repository)",
    });
  }
  if (!tarballs.has("tsbuilder")) tarballs.set("tsbuilder", packInstalled(ownPackage));
  return tarballs;
}

const tarballPattern =
  /^(?:tsbuilder-(?<part>apimachinery|runtime|cluster|simulation)|tsbuilder)-(?<version>\d.*)\.tgz$/;

/** Returns the paths of our packages in a project's `vendor/` folder. */
export function listVendored(project: string): readonly string[] {
  const folder = join(project, "vendor");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => tarballPattern.test(name)).map((name) => `vendor/${name}`);
}

/** Reads a tarball, whose file name says its package and version. */
function readTarballFile(folder: string, fileName: string): Tarball {
  const { part, version = "" } = tarballPattern.exec(fileName)?.groups ?? {};
  const name = part ? `@tsbuilder/${part}` : "tsbuilder";
  return { name, version, fileName, bytes: readFileSync(join(folder, fileName)) };
}

/** Packs the installed tsbuilder. The result equals the tarball that npm unpacked. */
function packInstalled({ folder, version }: { folder: string; version: string }): Tarball {
  const files = readPackageFiles(
    folder,
    readdirSync(folder).filter((name) => name !== "node_modules"),
  );
  const fileName = tarballName("tsbuilder", version);
  return { name: "tsbuilder", version, fileName, bytes: writeTarball(files) };
}
