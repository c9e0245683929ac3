import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { PackageLock } from "../../../src/packaging/check-lock.ts";
import { readCli, readLibraries } from "../../../src/packaging/pack.ts";
import { renderPart } from "../../../src/scaffold/blueprint.ts";
import { run } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { startLockedRegistry } from "./locked-registry.ts";

interface Manager {
  /** The package that has its program; `.ci/run` installs the same. */
  readonly source: string;
  readonly program: string;
  /** Writes the lock file and, where that is possible, nothing else. */
  readonly words: readonly string[];
  readonly lockFile: string;
  readonly env: (registry: string) => Readonly<Record<string, string>>;
  /** Replaces what only this registry has in a lock file. */
  readonly clean: (lock: string) => string;
}

/** The version of our packages while the lock files are made. */
const ownVersion = "9876.5.4";

const managers: readonly Manager[] = [
  {
    source: "pnpm@10",
    program: "node_modules/.bin/pnpm",
    words: ["install", "--lockfile-only"],
    lockFile: "pnpm-lock.yaml",
    env: (url) => ({ npm_config_registry: url }),
    clean: withoutOurs,
  },
  {
    source: "@yarnpkg/cli-dist@4",
    program: "node_modules/.bin/yarn",
    words: ["install", "--mode=update-lockfile"],
    lockFile: "yarn.lock",
    env: (url) => ({
      YARN_NPM_REGISTRY_SERVER: url,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_NPM_MINIMAL_AGE_GATE: "0",
      YARN_ENABLE_GLOBAL_CACHE: "false",
    }),
    // Yarn adds what a package of ours weighs when it first installs it.
    clean: (lock) =>
      lock.replaceAll(/^("(?:@tsbuilder\/|tsbuilder@).*\n(?: .*\n)*?) {2}checksum: .*\n/gmu, "$1"),
  },
  {
    source: `@oven/bun-${process.platform}-${process.arch}@1`,
    program: `node_modules/@oven/bun-${process.platform}-${process.arch}/bin/bun`,
    words: ["install", "--lockfile-only"],
    lockFile: "bun.lock",
    env: (url) => ({ BUN_CONFIG_REGISTRY: url }),
    clean: (lock) =>
      lock
        .replaceAll(/"http:\/\/127\.0\.0\.1[^"]*"/gu, '""')
        .replaceAll(/^( {4}"(?:@tsbuilder\/|tsbuilder").*)"sha512-[^"]*"\],$/gmu, '$1""],'),
  },
];

/** The lock files of the other package managers for the tree that npm chose: texts by the name of the template. */
export async function makeOtherLocks(
  lock: PackageLock,
  packages: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const sources = [...readLibraries(repository), readCli(repository, false)];
  const registry = await startLockedRegistry(sources, ownVersion, versionsIn(lock), upstream);
  const home = mkdtempSync(join(tmpdir(), "tsbuilder-locks-"));
  try {
    const made = new Map<string, string>();
    for (const { source, program, words, lockFile, env, clean } of managers) {
      const folder = join(home, lockFile);
      mkdirSync(folder);
      writeFileSync(join(folder, "package.json"), renderManifest(packages));
      // An empty lock file makes a folder a project of Yarn's.
      if (lockFile === "yarn.lock") writeFileSync(join(folder, lockFile), "");
      const shell = { folder, env: { ...env(registry.url), HOME: home, CI: "false" } };
      await run(shell, join(await install(source), program), ...words);
      const text = clean(readFileSync(join(folder, lockFile), "utf8"));
      made.set(
        lockFile,
        text.replaceAll(ownVersion, "{{tsbuilder version}}").replaceAll("a-project", "{{project name}}"),
      );
    }
    return made;
  } finally {
    registry.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Installs a package manager into the cache, unless it is there. */
async function install(source: string): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/managers");
  const folder = join(cache, source.replace(/^@/u, "").replaceAll(/[/@]/gu, "-"));
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const flags = ["--silent", "--no-save", "--ignore-scripts", "--prefix", folder];
  await run({ folder, env: {} }, "npm", "install", ...flags, source);
  writeFileSync(done, "");
  return folder;
}

function versionsIn({ packages }: PackageLock): Map<string, Set<string>> {
  const versions = new Map<string, Set<string>>();
  for (const [path, { version = "" }] of Object.entries(packages)) {
    const name = path.split("node_modules/").at(-1)!;
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  return versions;
}

function renderManifest(packages: Readonly<Record<string, string>>): string {
  const [range, version] = [`^${ownVersion}`, ownVersion];
  const context = {
    projectName: "a-project",
    runtimePackage: range,
    clusterPackage: range,
    simulationPackage: range,
    tsbuilderPackage: version,
  };
  const [rendered] = renderPart({ key: "package", templates: "typescript/init/package", context });
  const manifest = JSON.parse(rendered!.content) as { readonly dependencies: object };
  return JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...packages } });
}

/** pnpm takes no package without its hash, which a package can't hold of itself: its first install adds ours. */
function withoutOurs(lock: string): string {
  const ours = String.raw`'?(?:@tsbuilder/\w+|tsbuilder)`;
  return lock
    .replaceAll(new RegExp(`^ {6}${ours}'?:\\n(?: {8}.*\\n)*`, "gmu"), "")
    .replaceAll(new RegExp(`^ {2}${ours}@.*:\\n(?: {4}.*\\n)*\\n?`, "gmu"), "");
}
