import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { startRegistry, type Verdaccio } from "../../support/registries/verdaccio.ts";
import { makeStranger, publishRelease } from "../../support/registries/stranger.ts";

// The other strangers have the machine's npm; `.ci/run` puts these into the cache.

interface Manager {
  readonly name: string;
  /** The folder of its program in the cache. */
  readonly folder: string;
  readonly program: string;
  readonly create: readonly string[];
  readonly lockFile: string;
  /** Installs what the lock file says, and nothing else. */
  readonly installLocked: readonly string[];
  /** Its `.yarnrc.yml`, at home. */
  readonly settings?: string;
}

const npm = { program: "npm", lockFile: "package-lock.json", installLocked: ["ci"] };
const pnpm = { program: "pnpm", lockFile: "pnpm-lock.yaml", installLocked: ["install", "--frozen-lockfile"] };
const yarn = { program: "yarn", lockFile: "yarn.lock", installLocked: ["install", "--immutable"] };
const bun = { program: "bun", lockFile: "bun.lock", installLocked: ["install", "--frozen-lockfile"] };

const managers: readonly Manager[] = [
  { ...npm, name: "npm 10", folder: "npm-10/node_modules/.bin", create: ["create", "tsbuilder@0.2.0", "--"] },
  { ...pnpm, name: "pnpm 10", folder: "pnpm-10/node_modules/.bin", create: ["create", "tsbuilder@0.2.0"] },
  {
    ...yarn,
    name: "Yarn 4",
    folder: "yarnpkg-cli-dist-4/node_modules/.bin",
    create: ["dlx", "create-tsbuilder@0.2.0"],
    // Yarn installs no version of the last day, unless a setting names its package; the project names those of the others.
    settings: `npmPreapprovedPackages: ["tsbuilder", "@tsbuilder/*", "create-tsbuilder"]\n`,
  },
  {
    ...bun,
    name: "Bun 1",
    folder: "oven-bun-linux-x64-1/node_modules/@oven/bun-linux-x64/bin",
    create: ["create", "tsbuilder@0.2.0"],
  },
];

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/managers");
let work: string;
let registry: Verdaccio | undefined;
let missing: string | undefined;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-managers-"));
  ({ registry, missing } = await startRegistry("a release with other package managers"));
  if (registry !== undefined) await publishRelease(registry, "0.2.0", join(work, "release"));
});
afterAll(async () => {
  await registry?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.for(managers)(
  "who has $name creates a project, and its tests pass",
  async ({ name, folder, program, create, lockFile, installLocked, settings }, { skip }) => {
    if (missing !== undefined) skip(missing);
    const path = join(cache, folder, program);
    if (!existsSync(path)) {
      console.log(`left out: a release with ${name}: there is no ${path}`);
      skip(`there is no ${path}`);
    }
    const home = join(work, name.replaceAll(" ", "-"));
    const stranger = withManager(dirname(path), makeStranger(home, registry!.url));
    if (settings !== undefined) writeFileSync(join(home, ".yarnrc.yml"), settings);
    await run(stranger, program, ...create, "my-operator", "--domain", "example.com");
    const project = { ...stranger, folder: join(home, "my-operator") };
    expect(Object.values(tested)).not.toContain(undefined);
    expect(versionsIn(readFileSync(join(project.folder, lockFile), "utf8"))).toEqual(tested);
    const api = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];
    await run(project, "node_modules/.bin/tsbuilder", "create", "api", ...api);
    const { stdout } = await run(project, program, "run", "test");
    expect(stripVTControlCharacters(stdout)).toMatch(/Test Files {2}\d+ passed \(\d+\)/u);
    // npm, which comes with Node, fetches the linter whoever runs the script.
    await run(project, program, "run", "lint");
    await run(project, program, "run", "build");
    expect(readdirSync(join(project.folder, "dist"))).toContain("main.js");

    expect(readdirSync(project.folder).filter((file) => /lock\b/u.test(file))).toEqual([lockFile]);
    const locked = readFileSync(join(project.folder, lockFile), "utf8");
    rmSync(join(project.folder, "node_modules"), { recursive: true });
    await run(project, program, ...installLocked);
    expect(readFileSync(join(project.folder, lockFile), "utf8")).toBe(locked);
  },
);

const tested = versionsIn(readFileSync(join(repository, "templates/locks/npm.json"), "utf8"));

/** Versions of packages that say whether the tree is the one of our own tests, in a lock file of any package manager. */
function versionsIn(lock: string): Record<string, string | undefined> {
  const versionOf = (name: string): string | undefined =>
    new RegExp(`(?:^|["' ])${name}@(?:npm:)?(\\d[\\w.-]*)["':(]`, "mu").exec(lock)?.[1] ??
    new RegExp(`"node_modules/${name}": \\{\\s*"version": ?"([^"]+)"`, "u").exec(lock)?.[1];
  return Object.fromEntries(
    ["vite", "rollup", "postcss", "prom-client", "tdigest"].map((name) => [name, versionOf(name)]),
  );
}

/** A home of one's own, with a package manager before the machine's programs. */
function withManager(folder: string, { env, ...shell }: Shell): Shell {
  const { url } = registry!;
  const npm = { npm_config_registry: url, npm_config_cache: join(work, "npm-cache") };
  const yarn = { YARN_NPM_REGISTRY_SERVER: url, YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1" };
  const path = [folder, env["PATH"]].join(delimiter);
  // In CI, Yarn would make no lock file.
  return { ...shell, env: { ...env, ...npm, ...yarn, PATH: path, CI: "false" } };
}
