import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { findBinaries } from "./control-plane-binaries.ts";

// The tests that `create` scaffolds pass on both API servers: `tsbuilder test`, and `test --real`.

const cli = join(repository, "bin/tsbuilder.js");
const binaries = findBinaries({ build: false });
const isLeftOut = "missing" in binaries;
if (isLeftOut) console.log(`left out: tsbuilder test --real: ${binaries.missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-project-tests-"));
const project: Shell = {
  folder: join(work, "shop-operator"),
  // A folder of its own for temporary files tells its processes from those of other tests.
  env: { HOME: work, TMPDIR: work, ...(isLeftOut ? {} : { KUBEBUILDER_ASSETS: binaries.folder }) },
};

beforeAll(async () => {
  if (isLeftOut) return;
  mkdirSync(project.folder);
  await tsbuilder("init", "--domain", "example.com");
  const api = ["create", "api", "--group", "apps", "--make=false"];
  await tsbuilder(...api, "--version", "v1", "--kind", "Shop");
  await tsbuilder(...api, "--version", "v1", "--kind", "AppService", "--template", "appservice");
  await tsbuilder(...api, "--version", "v1", "--kind", "MySQL", "--template", "mysql");
  const shop = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await tsbuilder("create", "webhook", ...shop, "--defaulting", "--programmatic-validation");
  // This test shows which server runs.
  writeFileSync(join(project.folder, "src/server.test.ts"), serverTest);
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test.skipIf(isLeftOut)("the scaffolded tests pass on the embedded cluster and on the real one", async () => {
  const embedded = await tryRun(project, "node", cli, "test");
  const real = await tryRun(project, "node", cli, "test", "--real");
  expect({ embedded: outcome(embedded), real: outcome(real) }).toEqual({
    embedded: { failed: ["src/server.test.ts > a real API server answers"], files: "1 failed" },
    real: { failed: [], files: "" },
  });
  expect(passedTests(real.stdout)).toBe(passedTests(embedded.stdout) + 1);
  const left = await tryRun(project, "pgrep", "-f", join(work, "tsbuilder-control-plane-"));
  expect(left).toMatchObject({ exitCode: 1, stdout: "" });
});

const serverTest = `import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { expect, test } from "vitest";

test("a real API server answers", async () => {
  const cluster = await startTestCluster();
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  const checks = await client.request({ path: "/livez?verbose" });
  await cluster.stop();
  expect(JSON.stringify(checks)).toContain("poststarthook/start-apiextensions-controllers");
});
`;

function tsbuilder(...words: string[]) {
  return run(project, "node", cli, ...words);
}

function outcome({ stdout, stderr }: CommandResult) {
  const plain = stripVTControlCharacters(stdout + stderr);
  const failed = [...plain.matchAll(/^ FAIL {2}(.*)$/gm)].map(([, name]) => name!);
  return { failed: [...new Set(failed)], files: /Test Files\s+(\d+ failed)/.exec(plain)?.[1] ?? "" };
}

function passedTests(output: string): number {
  return Number(/Tests\s+.*?(\d+) passed/.exec(stripVTControlCharacters(output))?.[1]);
}
