import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { downloadGoModule } from "../../../support/go-module.ts";

/** The folders of the programs, of OLM's CRDs, and of the examples of operator-sdk's library; or why they are not there. */
export type OlmPrograms =
  | { readonly folder: string; readonly crds: string; readonly examples: string }
  | { readonly missing: string };

const root = import.meta.dirname;
/** Build tags that replace what is written in C, which checks and stores images. */
const tags = "containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper";
const framework = "github.com/operator-framework";

/** The programs built of each module: the one in this folder, opm, and the two of OLM v0. */
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

/** The files copied of each module, so that the cache has all that the tests need. */
const copied = [
  { module: ".", name: "examples", path: `${framework}/api`, from: "pkg/validation/internal/testdata" },
  {
    module: "lifecycle-manager",
    name: "crds",
    path: `${framework}/operator-lifecycle-manager`,
    from: "deploy/chart/crds",
  },
];

/** Finds the programs in the cache. */
export function findOlmPrograms(): OlmPrograms {
  const folder = cacheFolder();
  return [...programs, ...copied].every(({ name }) => existsSync(join(folder, name)))
    ? { folder, crds: join(folder, "crds"), examples: join(folder, "examples") }
    : { missing: "the programs are not built: npm run lab -- olm builds them" };
}

/** Builds the programs into the cache: some six minutes of processor time, with nothing compiled before. */
export function buildOlmPrograms(): string {
  const folder = cacheFolder();
  if (!("missing" in findOlmPrograms())) return folder;
  if (spawnSync("go", ["version"]).status !== 0) throw new Error("there is no Go to build the programs with");
  mkdirSync(folder, { recursive: true });
  const missing = ({ name }: { readonly name: string }): boolean => !existsSync(join(folder, name));
  for (const { module, name, path } of programs.filter(missing)) {
    const partly = join(folder, `.${name}.${process.pid}`);
    execFileSync("go", ["build", "-tags", tags, "-o", partly, path], {
      cwd: join(root, module),
      stdio: "inherit",
      env: { ...process.env, CGO_ENABLED: "0" },
    });
    renameSync(partly, join(folder, name));
  }
  for (const { module, name, path, from } of copied.filter(missing)) {
    const { Dir } = downloadGoModule(path, { cwd: join(root, module) });
    const partly = join(folder, `.${name}.${process.pid}`);
    cpSync(join(Dir, from), partly, { recursive: true });
    // Go's files are read-only.
    execFileSync("chmod", ["-R", "u+w", partly]);
    renameSync(partly, join(folder, name));
  }
  return folder;
}

function cacheFolder(): string {
  const hash = createHash("sha256").update(tags);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
  for (const file of files.filter((name) => /\.(?:go|mod|sum)$/u.test(name))) {
    hash.update(readFileSync(join(root, file)));
  }
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "tsbuilder/olm", hash.digest("hex").slice(0, 16));
}
