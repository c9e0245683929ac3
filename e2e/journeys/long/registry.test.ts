import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeStranger, publishRelease } from "../../support/registries/stranger.ts";
import { eventually } from "../../support/eventually.ts";
import { plainEnvironment, run, type Shell, tryRun } from "../../support/shell.ts";
import { startRegistry, type Verdaccio } from "../../support/registries/verdaccio.ts";
import { watchProcess } from "../../support/watched-process.ts";

let work: string;
let registry: Verdaccio | undefined;
let missing: string | undefined;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-release-"));
  ({ registry, missing } = await startRegistry("a release from a registry"));
});
beforeEach(({ skip }) => {
  if (missing !== undefined) skip(missing);
});
afterAll(async () => {
  await registry?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** A shell in a folder of somebody's home who has Node and npm, and nothing else. */
function stranger(folder: string): Shell {
  const home = join(work, "home");
  return { ...makeStranger(home, registry!.url), folder: join(home, folder) };
}

const release = (version: string): Promise<void> => publishRelease(registry!, version, join(work, version));

/** One journey in order, in parts that each may take as long as a test: each depends on the previous one. */
describe("a stranger with a registry and nothing else", () => {
  const read = (path: string): string => readFileSync(join(stranger("my-operator").folder, path), "utf8");

  test("starts a project, tests it, builds it and runs it", async () => {
    await release("0.2.0");
    const words = "create --yes tsbuilder@0.2.0 my-operator -- --domain example.com".split(" ");
    const created = await run(stranger("."), "npm", ...words);
    // npm 11 names packages whose scripts it did not run; older ones say nothing.
    expect(created.stderr).not.toContain("install-scripts");
    const project = stranger("my-operator");
    expect(existsSync(join(project.folder, "vendor"))).toBe(false);
    expect(JSON.parse(read("package.json"))).toMatchObject({
      dependencies: { "@tsbuilder/runtime": "^0.2.0" },
      devDependencies: { tsbuilder: "0.2.0" },
    });
    const kind = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];
    await run(project, "npx", "--no-install", "tsbuilder", "create", "api", ...kind);
    await run(project, "npm", "test");
    await run(project, "npm", "run", "build");
    expect(read("dist/third-party-licenses.txt")).toContain("@tsbuilder/runtime 0.2.0");
    expect(await develop(project)).toBe(0);
  });

  test("sees the next release, upgrades to it, and the tests pass", async () => {
    const project = stranger("my-operator");
    await release("0.3.0");
    const { stdout } = await tryRun(project, "npm", "outdated", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      tsbuilder: { current: "0.2.0", latest: "0.3.0" },
      "@tsbuilder/runtime": { current: "0.2.0", latest: "0.3.0" },
    });
    await run(project, "npx", "--yes", "tsbuilder@0.3.0", "upgrade");
    expect(JSON.parse(read("package.json"))).toMatchObject({
      dependencies: { "@tsbuilder/runtime": "^0.3.0" },
      devDependencies: { "@tsbuilder/cluster": "^0.3.0", tsbuilder: "0.3.0" },
    });
    const installed = await run(project, "npm", "ls", "--all", "--parseable", "--long");
    expect(installed.stdout).toContain("@tsbuilder/apimachinery@0.3.0");
    expect(installed.stdout).not.toMatch(/tsbuilder[^:]*@0\.2\.0/u);
    await run(project, "npm", "test");
    await run(project, "npx", "--no-install", "tsbuilder", "doctor");
  });
});

/** Runs the operator on the embedded cluster until it has reconciled; returns the exit code after Ctrl-C. */
async function develop({ folder, env }: Shell): Promise<number | null> {
  const program = join(folder, "node_modules/tsbuilder/bin/tsbuilder.js");
  const child = spawn(process.execPath, [program, "dev", "--samples"], {
    cwd: folder,
    env: { ...plainEnvironment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { lines, watch, exited, stop } = watchProcess("tsbuilder dev", child);
  try {
    await eventually(() => {
      if (!lines.some((line) => line.includes("Reconciled MySQL")))
        throw new Error("nothing is reconciled yet");
    }, watch);
  } finally {
    await stop("SIGINT");
  }
  return exited;
}
