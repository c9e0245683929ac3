import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { dispatch } from "../../../src/cli/start/main.ts";
import type { Details } from "../../../src/cli/reporting/report.ts";
import { run } from "../../golden/golden-projects.ts";
import { newerHost } from "./newer-host.ts";
import { useProjectFolder } from "./project-folder.ts";

/** A project under git's version control that an older version of tsbuilder scaffolded, for each test of a file. */
export function useOlderProject() {
  const folder = useProjectFolder();
  const { read } = folder;
  let baseline: Record<string, string>;
  let beside: string;
  /** A folder with the project that is copied, and git's settings. */
  let shared: string;
  let printed: string[];

  const gitEnvironment = () => ({
    GIT_CONFIG_GLOBAL: join(shared, "gitconfig"),
    GIT_CONFIG_NOSYSTEM: "1",
  });
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: folder.root, encoding: "utf8" }).trim();
  const write = (path: string, text: string): void => writeFileSync(join(folder.root, path), text);
  const change = (path: string, from: string, to: string): void => {
    if (!read(path).includes(from)) throw new Error(`"${path}" has no "${from}"`);
    write(path, read(path).replace(from, to));
  };
  const commit = (message: string): void => {
    git("add", ".");
    git("commit", "--quiet", "--message", message);
  };
  /** The project's files, without those of git. */
  const files = (): Record<string, string> =>
    Object.fromEntries(Object.entries(folder.snapshot()).filter(([path]) => !path.startsWith(".git/")));

  // Scaffolding takes longer than most of what is tested, so each test gets a copy, with its first commit.
  beforeAll(async () => {
    shared = mkdtempSync(join(tmpdir(), "tsbuilder-older-"));
    writeFileSync(
      join(shared, "gitconfig"),
      "[user]\nname = Ann\nemail = ann@example.com\n[init]\ndefaultBranch = main\n",
    );
    const original = join(shared, "project");
    mkdirSync(original);
    await run(["init", "--domain", "example.com", "--project-name", "shop"], original);
    await run(["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order"], original);
    for (const [path, from, to] of [
      ["README.md", "## Developing", "## Working on it"],
      ["Makefile", ".PHONY", ".GONE"],
    ] as const) {
      const text = readFileSync(join(original, path), "utf8");
      writeFileSync(join(original, path), text.replace(from, to));
    }
    const env = { ...process.env, ...gitEnvironment() };
    for (const args of [
      ["init", "--quiet"],
      ["add", "."],
      ["commit", "--quiet", "--message", "Scaffold"],
    ])
      execFileSync("git", args, { cwd: original, env });
  });

  beforeEach(() => {
    beside = mkdtempSync(join(tmpdir(), "tsbuilder-beside-"));
    for (const [name, value] of Object.entries(gitEnvironment())) vi.stubEnv(name, value);
    cpSync(join(shared, "project"), folder.root, { recursive: true, preserveTimestamps: true });
    baseline = files();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(beside, { recursive: true, force: true });
  });

  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  /** Runs upgrade by a newer version; returns what it prints and what it says for programs. */
  async function upgradeIn(
    root: string,
    flags: readonly string[],
    version?: string,
  ): Promise<{ printed: string; details: Details }> {
    printed = [];
    let details: Details = {};
    const ui = {
      print: (text: string) => void printed.push(text),
      note: () => undefined,
      isInteractive: false,
      add(more: Details) {
        details = { ...details, ...more };
      },
    };
    const words = ["upgrade", "--skip-install", ...flags];
    await dispatch(words, root, ui, newerHost(baseline, version));
    return { printed: printed.join("\n"), details };
  }

  return {
    git,
    write,
    change,
    commit,
    files,
    read,
    upgradeIn,
    upgrade: (...flags: string[]) => upgradeIn(folder.root, flags),
    get root() {
      return folder.root;
    },
    /** The output of the last upgrade, also if it failed. */
    get printed() {
      return printed.join("\n");
    },
    /** A folder for what tests need beside the project. */
    get beside() {
      return beside;
    },
    /** The files that the older version scaffolded. */
    get baseline() {
      return baseline;
    },
    set baseline(next) {
      baseline = next;
    },
  };
}
