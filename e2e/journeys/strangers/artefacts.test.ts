import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256 } from "../../../src/packaging/tarball.ts";
import { type RegistryStandIn, startRegistryStandIn } from "../../support/registries/registry-stand-in.ts";
import { run, type Shell } from "../../support/shell.ts";
import { type Listed, makeStranger, packRelease } from "../../support/registries/stranger.ts";

let work: string;
let registry: RegistryStandIn;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-artefacts-"));
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  registry = await startRegistryStandIn(upstream);
});

afterAll(async () => {
  await registry.stop();
  rmSync(work, { recursive: true, force: true });
});

test("what a release packs is installed by npm ci in a project that knows nothing else, and works", async () => {
  const release = join(work, "release");
  const packed = await packRelease("0.2.0", release);
  expect(packed).toEqual(packed.map(({ name }) => listed(release, name)));
  const sums = packed.map(({ sha256: sum, name }) => `${sum}  ${name}\n`);
  expect(readFileSync(join(release, "SHA256SUMS"), "utf8")).toBe(sums.join(""));

  const author = makeProject("author");
  cpSync(release, join(author.folder, "release"), { recursive: true });
  // The package that `npm create` runs is not a dependency of any project.
  const tarballs = packed.filter(({ name }) => !name.startsWith("create-"));
  await run(
    author,
    "npm",
    "install",
    "--package-lock-only",
    ...tarballs.map(({ name }) => `./release/${name}`),
  );

  const other = makeProject("other");
  cpSync(author.folder, other.folder, { recursive: true });
  await run(other, "npm", "ci");
  expect(registry.asked).toEqual([]);

  const names = Object.keys(readManifest(other.folder).dependencies!);
  expect(names).toHaveLength(tarballs.length);
  const entries = names.flatMap((name) => entryPoints(join(other.folder, "node_modules", name), name));
  expect(entries).toEqual(expect.arrayContaining(["tsbuilder/scaffold", "@tsbuilder/runtime/k8s/apps/v1"]));
  const imports = entries.map((entry) => `await import(${JSON.stringify(entry)});\n`);
  writeFileSync(join(other.folder, "import-all.mjs"), imports.join(""));
  await run(other, "node", "import-all.mjs");
  const { stdout } = await run(other, "npx", "--no-install", "tsbuilder", "version");
  expect(stdout).toContain("0.2.0");
});

function listed(folder: string, name: string): Listed {
  const bytes = readFileSync(join(folder, name));
  return { name, size: bytes.length, sha256: sha256(bytes) };
}

/** An empty folder in a home of its own. */
function makeProject(name: string): Shell {
  const stranger = makeStranger(join(work, name), registry.url);
  const folder = join(work, name, "project");
  mkdirSync(folder);
  return { ...stranger, folder };
}

interface Manifest {
  readonly exports?: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** The modules that an installed package exports, without the one for a client that users install if they have it. */
function entryPoints(folder: string, name: string): string[] {
  return Object.entries(readManifest(folder).exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === "string" || subpath === "./client-node") return [];
    const [before = "", after] = target.default.split("*");
    const found = after === undefined ? [""] : filesBetween(join(folder, before), after);
    return found.map((one) => name + subpath.slice(1).replace("*", one));
  });
}

/** The part of a path that the `*` of a pattern matches: `apps/v1` for `k8s/*.js`. */
function filesBetween(folder: string, after: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) =>
    path.endsWith(after) ? [path.slice(0, -after.length)] : [],
  );
}
