import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, type Shell } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Runs on the Node version that `.ci/run` puts first on the PATH; `npm run build` ran on another one.

const major = process.env["TSBUILDER_NODE"] ?? process.versions.node.split(".")[0]!;
const cli = join(repository, "bin/tsbuilder.js");
let work: string;
let project: Shell;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-node-"));
  project = { folder: join(work, "mysql-operator"), env: {} };
  mkdirSync(project.folder);
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test(`Node ${major} runs these tests and the CLI`, async () => {
  const { stdout } = await run(project, "node", "--version");
  expect(stdout).toMatch(new RegExp(`^v${major}\\.`));
  expect((await run(project, "node", cli, "--version")).stdout).toMatch(/^0\.1\.0/);
});

test(`Node ${major} scaffolds a project whose tests pass`, async () => {
  await run(project, "node", cli, "init", "--domain", "example.com");
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
  const { stdout } = await run(project, "npm", "test");
  expect(stdout).toMatch(/2 passed/);
});

test(`Node ${major} starts a cluster and ends it on SIGTERM`, async () => {
  const kubeconfig = join(work, "kubeconfig");
  const cluster = spawn("node", [cli, "cluster", "start", "--kubeconfig", kubeconfig], { cwd: work });
  const line = await new Promise<string>((resolve, reject) => {
    cluster.once("exit", (code) => reject(new Error(`the cluster ended with ${code}`)));
    createInterface({ input: cluster.stdout }).once("line", resolve);
  });
  expect(line).toContain("cluster ready at https://127.0.0.1:");
  expect(existsSync(kubeconfig)).toBe(true);
  const code = await new Promise((resolve) => {
    cluster.removeAllListeners("exit").once("exit", resolve);
    cluster.kill("SIGTERM");
  });
  expect(code).toBe(0);
});
