import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of the programs, or why they are not there. */
export type OlmPrograms = { readonly folder: string } | { readonly missing: string };

const root = import.meta.dirname;
/** Without them, the libraries need headers of C libraries that images are stored with. */
const tags = "containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper,json1";
const framework = "github.com/operator-framework";

/** What is built of each module: the program in this folder, opm, and the two of OLM v0. */
const programs = [
  { module: ".", name: "olmprograms", path: "." },
  { module: ".", name: "opm", path: `${framework}/operator-registry/cmd/opm` },
  {
    module: "lifecycle-manager",
    name: "catalog",
    path: `${framework}/operator-lifecycle-manager/cmd/catalog`,
  },
  { module: "lifecycle-manager", name: "olm", path: `${framework}/operator-lifecycle-manager/cmd/olm` },
];

/** Finds the programs in the cache. */
export function findOlmPrograms(): OlmPrograms {
  const folder = cacheFolder();
  const isBuilt = programs.every(({ name }) => existsSync(join(folder, name)));
  return isBuilt ? { folder } : { missing: "the programs are not built: npm run e2e:olm builds them" };
}

/** Builds the programs into the cache: some six minutes of processor time, with nothing compiled before. */
export function buildOlmPrograms(): string {
  const folder = cacheFolder();
  mkdirSync(folder, { recursive: true });
  for (const { module, name, path } of programs.filter((one) => !existsSync(join(folder, one.name)))) {
    const partly = join(folder, `.${name}.${process.pid}`);
    execFileSync("go", ["build", "-tags", tags, "-o", partly, path], {
      cwd: join(root, module),
      stdio: "inherit",
      env: { ...process.env, CGO_ENABLED: "0" },
    });
    renameSync(partly, join(folder, name));
  }
  return folder;
}

/** The folder with the sources of a Go module that the programs are made of. */
export function moduleFolder(path: string, module = "."): string {
  const cwd = join(root, module);
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", path], { cwd, encoding: "utf8" }).trim();
}

function cacheFolder(): string {
  const hash = createHash("sha256");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
  for (const file of files.filter((name) => /\.(?:go|mod|sum)$/u.test(name))) {
    hash.update(readFileSync(join(root, file)));
  }
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "tsbuilder/olm", hash.digest("hex").slice(0, 16));
}
