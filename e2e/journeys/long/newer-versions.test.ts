import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { formatLock } from "../../../src/packaging/lock-file.ts";
import { readCalls } from "../../golden/golden-projects.ts";
import { usePackedTsbuilder } from "../../support/registries/packed-tsbuilder.ts";
import type { PackageVersion, Packument } from "../../support/registries/registry-stand-in.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";

/** The versions that new projects lock, by name: the registry has a newer one of each. */
const locked = lockedVersions();

/** tsbuilder itself is installed with the versions that are there today. */
let isReady = false;
const packed = usePackedTsbuilder((packument) => {
  const versions = locked.get(packument.name);
  return versions === undefined || !isReady ? packument : [...versions].reduce(withNewer, packument);
});
beforeAll(() => {
  isReady = true;
});

function lockedVersions(): ReadonlyMap<string, ReadonlySet<string>> {
  const own = { version: "0.0.0", specifier: "", sibling: "" };
  const parts = ["apimachinery", "runtime", "cluster", "simulation"].map((part) => `@tsbuilder/${part}`);
  const text = formatLock("npm", "shop", new Map([...parts, "tsbuilder"].map((name) => [name, own])));
  const { packages } = JSON.parse(text) as { packages: Record<string, { version: string }> };
  const found = new Map<string, Set<string>>();
  for (const [path, { version }] of Object.entries(packages)) {
    const name = path.split("node_modules/").at(-1)!;
    found.set(name, (found.get(name) ?? new Set()).add(version));
  }
  return found;
}

/** A week later: a newer version, whose tarball nobody may ask for, and Rollup's names a package that is not there. */
function withNewer(packument: Packument, version: string): Packument {
  const old = packument.versions[version];
  if (old === undefined) return packument;
  const newer = version.replace(
    /(\d+)(\D*)$/u,
    (_all, last: string, rest: string) => `${Number(last) + 900}${rest}`,
  );
  const missing = packument.name === "rollup" ? { "not-in-this-registry": "^0.1.0" } : {};
  const added: PackageVersion = {
    ...old,
    version: newer,
    optionalDependencies: { ...old.optionalDependencies, ...missing },
    dist: { ...old.dist, tarball: new URL("../not-there.tgz", old.dist.tarball).href },
  };
  return {
    ...packument,
    "dist-tags": { ...packument["dist-tags"], latest: newer },
    versions: { ...packument.versions, [newer]: added },
  };
}

async function scaffold(name: string): Promise<Shell> {
  const project = packed().shell(name);
  mkdirSync(project.folder);
  for (const [command, ...words] of readCalls(name)) {
    const flags = command === "init" ? ["--skip-install"] : [];
    await run(project, "tsbuilder", command!, ...words, ...flags);
  }
  return project;
}

test.each([
  "app-operator",
  "fleet-operator",
  "maria-operator",
  "mysql-operator",
  "store-operator",
  "team-operator",
])(
  "npm ci takes the lock file of %s, though the registry has newer versions of all packages",
  async (name) => {
    const project = await scaffold(name);
    const { stderr } = await tryRun(project, "npm", "ci", "--dry-run", "--ignore-scripts");
    expect(stderr).not.toContain("npm error");
  },
);

test("npm ci installs what was tested, and npm install changes nothing", async () => {
  const project = packed().shell("mysql-operator");
  const lock = readFileSync(join(project.folder, "package-lock.json"), "utf8");
  await run(project, "npm", "ci");
  await run(project, "npm", "test");
  expect((await run(project, "tsbuilder", "doctor")).stdout).not.toContain("package-lock.json");
  await run(project, "npm", "install");
  expect(readFileSync(join(project.folder, "package-lock.json"), "utf8")).toBe(lock);
  expect(packed().registry.asked).toEqual([]);
});

test("without the lock file the same registry breaks the project, and doctor says how", async () => {
  const project = packed().shell("mysql-operator");
  rmSync(join(project.folder, "package-lock.json"));
  rmSync(join(project.folder, "node_modules"), { recursive: true });
  await run(project, "npm", "install", "--package-lock-only");
  const { exitCode, stderr } = await tryRun(project, "npm", "ci");
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("Missing: not-in-this-registry@");
  expect(existsSync(join(project.folder, "node_modules"))).toBe(false);
  const { stdout } = await tryRun(project, "tsbuilder", "doctor");
  expect(stdout).toMatch(
    /! package-lock\.json: npm ci refuses it: it lacks "not-in-this-registry", which rollup \S+ needs/u,
  );
});
