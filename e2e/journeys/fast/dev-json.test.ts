import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Recorded } from "../../../src/dev/record/recorded.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { plainEnvironment, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { watchProcess } from "../../support/watched-process.ts";

// `tsbuilder dev --output json`: a program reads along what happens, and people are told on standard error.

const cli = join(repository, "bin/tsbuilder.js");
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-json-"));
  project = { folder: join(work, "mysql-operator"), env: { HOME: work } };
  mkdirSync(project.folder);
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("dev --output json prints the session, writes, reconciles, samples and the operator's log as lines of JSON", async () => {
  const child = spawn(process.execPath, [cli, "dev", "--samples", "--output", "json"], {
    cwd: project.folder,
    env: { ...plainEnvironment(), ...project.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const recorded: ({ type: "session" } | Recorded)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    recorded.push(JSON.parse(line) as Recorded);
  });
  const { lines, watch, stop } = watchProcess("tsbuilder dev", child);
  const sees = (expected: object): Promise<unknown> =>
    eventually(() => expect(recorded).toContainEqual(expect.objectContaining(expected)), watch);

  await sees({ type: "write", write: "ADDED", resource: "mysqls.apps.example.com" });
  await sees({ type: "reconcile", request: "default/mysql-sample", outcome: "done" });
  await sees({ type: "dev", text: "applied 1 sample" });
  await sees({ type: "operator", text: expect.stringContaining("Reconciled MySQL") });
  await sees({ type: "sample", cached: { "MySQL.apps.example.com": 1 } });
  const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const metadata = { namespace: "default", name: "password" };
  await client.create(Secret, { metadata, stringData: { password: "hunter2" } });
  await sees({ type: "write", resource: "secrets", key: "default/password" });
  await eventually(() => expect(lines.join("\n")).toContain("see what happens: http://127.0.0.1:"), watch);

  expect(await stop("SIGINT")).toBe(0);
  expect(recorded[0]).toMatchObject({ type: "session", format: 1, project: "mysql-operator" });
  // Once the process has ended, its numbers are 0.
  expect(recorded).toContainEqual(expect.objectContaining({ type: "sample", resident: 0 }));
  const secrets = [Buffer.from("hunter2").toString("base64"), "hunter2", "see what happens"];
  for (const secret of secrets) expect(JSON.stringify(recorded)).not.toContain(secret);
});

test("--output json excludes lines for people, and there are no questions", async () => {
  const both = await tryRun(project, "node", cli, "dev", "--plain", "--output", "json");
  expect(both).toMatchObject({ exitCode: 1, stdout: "" });
  expect(both.stderr).toContain(
    "error: --plain and --output json are mutually exclusive\nhint: omit --plain",
  );
});
