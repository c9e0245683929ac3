import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dispatch } from "../../../src/cli/start/main.ts";
import { lackingPackages, type PackageLock } from "../../../src/packaging/check-lock.ts";
import { formatLock, type LockedPackage, lockVendored } from "../../../src/packaging/lock-file.ts";
import { type Tarball, packSiblings, readCli, readLibraries } from "../../../src/packaging/pack.ts";
import { goldenHost } from "../../golden/golden-projects.ts";
import { run } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

/** The tree that npm chose. */
interface MadeLock {
  readonly lock: PackageLock;
  /** The text of `templates/locks/npm.json`. */
  readonly text: string;
  /** Newest versions that no lock file can hold, since the registry lacks what they need. */
  readonly heldBack: readonly string[];
}

interface LockOptions {
  /** Names the registry, unless it is the machine's. */
  readonly env?: Readonly<Record<string, string>>;
  /** A reference operator with packages, which are added to the tree of every project. */
  readonly template?: string;
}

/**
 * Has npm choose the newest versions that a new project allows, in a folder of its own, and writes down the tree that it
 * chose.
 */
export async function makeLock({ env = {}, template }: LockOptions = {}): Promise<MadeLock> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-locks-"));
  try {
    const own = packManifests();
    await scaffold(folder, own, template === undefined ? [] : ["--template", template]);
    if (template !== undefined) {
      const locked = new Map([...own].map(([name, tarball]) => [name, lockVendored(tarball)]));
      writeFileSync(join(folder, "package-lock.json"), formatLock("npm", projectName, locked));
    }
    const allowed: Record<string, string> = {};
    const heldBack: string[] = [];
    for (;;) {
      const lock = await lockWithNpm(folder, allowed, env);
      const lacking = lackingPackages(lock);
      if (lacking.length === 0) return { lock, text: toTemplate(lock, own), heldBack };
      for (const { name, version, needs } of lacking) {
        heldBack.push(`${name} ${version}: the registry has no ${needs}`);
        allowed[name] = `<${version}`;
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Our packages without their files: only what they depend on decides the tree. */
function packManifests(): ReadonlyMap<string, Tarball> {
  const sources = [...readLibraries(repository), readCli(repository, false)];
  const tarballs = packSiblings(sources.map((source) => ({ ...source, files: [] })));
  return new Map(tarballs.map((tarball) => [tarball.name, tarball]));
}

async function scaffold(
  folder: string,
  own: ReadonlyMap<string, Tarball>,
  flags: readonly string[],
): Promise<void> {
  const specifier = (name: string): string => lockVendored(own.get(name)!).specifier;
  const host = {
    ...goldenHost,
    vendorPackages: async () => ({
      packages: {
        runtime: specifier("@tsbuilder/runtime"),
        cluster: specifier("@tsbuilder/cluster"),
        simulation: specifier("@tsbuilder/simulation"),
        tsbuilder: specifier("tsbuilder"),
      },
      files: new Map([...own.values()].map(({ fileName, bytes }) => [`vendor/${fileName}`, bytes])),
    }),
  };
  const quiet = { print: () => undefined, note: () => undefined, isInteractive: false };
  const words = ["init", "--domain", "example.com", "--project-name", projectName, "--skip-install"];
  await dispatch([...words, ...flags], folder, quiet, host);
}

const projectName = "project-name";

/** Overrides hold versions back; the `package.json` without them allows these versions, too. */
async function lockWithNpm(
  folder: string,
  overrides: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<PackageLock> {
  const work = mkdtempSync(join(folder, "lock-"));
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
  await run({ folder, env: {} }, "cp", "-r", "vendor", ".npmrc", work);
  const base = join(folder, "package-lock.json");
  if (existsSync(base)) copyFileSync(base, join(work, "package-lock.json"));
  writeFileSync(join(work, "package.json"), JSON.stringify({ ...manifest, overrides }));
  const flags = ["--package-lock-only", "--omit-lockfile-registry-resolved", "--no-audit", "--no-fund"];
  await run({ folder: work, env }, "npm", "install", ...flags);
  return JSON.parse(readFileSync(join(work, "package-lock.json"), "utf8")) as PackageLock;
}

/** A line for each package, with words in the place of what differs between projects and builds. */
function toTemplate({ packages }: PackageLock, own: ReadonlyMap<string, Tarball>): string {
  const words = [...own].flatMap(([name, tarball]) => {
    const { sibling, version, integrity, resolved } = lockVendored(tarball);
    const word = (field: keyof LockedPackage): string => `{{${name} ${field}}}`;
    return [
      [`"resolved":"${resolved}"`, `"resolved":"${word("resolved")}"`],
      [resolved!, word("specifier")],
      [sibling, word("sibling")],
      [version, word("version")],
      [integrity!, word("integrity")],
    ] as const;
  });
  const lines = Object.entries(packages).map(([path, entry]) =>
    words.reduce(
      (line, [text, word]) => line.replaceAll(text, word),
      `${JSON.stringify(path)}: ${JSON.stringify(path === "" ? { ...entry, name: "{{project name}}" } : entry)}`,
    ),
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}
