import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { installLaunchers } from "@tsbuilder/cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

const cli = join(repository, "bin/tsbuilder.js");
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-test-real-"));
  const folder = join(work, "mysql-operator");
  mkdirSync(folder);
  project = { folder, env: { HOME: work } };
  await run(project, "node", cli, "init", "--domain", "example.com");
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("tsbuilder test --real runs the tests on the programs of KUBEBUILDER_ASSETS, and names missing ones", async () => {
  const bare = await tryRun(project, "node", cli, "test", "--real");
  expect(bare).toMatchObject({ exitCode: 1, stdout: "" });
  expect(bare.stderr).toContain(
    "hint: download one with tsbuilder envtest install, or set KUBEBUILDER_ASSETS",
  );
  const assets = join(work, "assets");
  const there = { ...project, env: { ...project.env, KUBEBUILDER_ASSETS: assets } };
  const empty = await tryRun(there, "node", cli, "test", "--real");
  expect(empty).toMatchObject({ exitCode: 1, stdout: "" });
  expect(empty.stderr).toContain("does not contain kube-apiserver");

  installLaunchers(assets);
  const passed = await run(there, "node", cli, "test", "--real");
  expect(passed.stderr).toContain(`Each suite starts kube-apiserver and etcd from ${assets}`);
  expect(stripVTControlCharacters(passed.stdout)).toContain("2 passed");
  writeFileSync(join(assets, "etcd"), "#!/bin/sh\necho no room for etcd >&2\nexit 1\n");
  const broken = await tryRun(there, "node", cli, "test", "--real");
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout + broken.stderr).toContain("no room for etcd");
});

test("tsbuilder test --explore explores the project's controllers only, from a seed", async () => {
  const { stdout } = await run(project, "node", cli, "test", "--explore", "--time", "1s", "--seed", "70");
  expect(stripVTControlCharacters(stdout)).toMatch(/^MySQL: explored \d+ disturbed runs from seed 70; /m);
  expect(stripVTControlCharacters(stdout)).toContain("1 passed");
});
