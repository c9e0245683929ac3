import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type Kind, loadConfig } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// A session of `tsbuilder dev` in a scaffolded project, which `tsbuilder replay --test` makes a test of that project.

const cli = join(repository, "bin/tsbuilder.js");
const file = "src/controller/session.recorded.test.ts";
const key = { namespace: "default", name: "appservice-sample" };
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-written-test-"));
  const folder = join(work, "app-operator");
  mkdirSync(folder);
  project = { folder, env: { PATH: process.env["PATH"]!, HOME: work } };
  await run(project, "node", cli, "init", "--domain", "example.com", "--template", "appservice");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("a recorded session passes as a test, until the operator does something else", async () => {
  const dev = startTsbuilder(project, "dev", "--plain", "--samples", "--record", "session.jsonl");
  try {
    await useHands(dev);
  } finally {
    expect(await dev.stop("SIGTERM")).toBe(0);
  }
  await run(project, "node", cli, "replay", "session.jsonl", "--test", file);
  await run(project, "npm", "run", "fmt", "--", file);
  const text = readFileSync(join(project.folder, file), "utf8");
  expect(text).toContain("await client.create(AppService, {");
  expect(text).toContain("{ merge: { spec: { replicas: 2 } } }");
  expect(text).toContain("await client.delete(Deployment, ");
  expect(text.replaceAll(/\s+/gu, " ")).toContain(
    'failures.plan({ verb: "patch", resource: "deployments.apps", outcome: { code: 500 }, times: 2, });',
  );
  expect(text).toContain("expect(failures.plans).toEqual([])");
  await run(project, "npx", "tsc");
  await run(project, "npm", "run", "lint", "--", file);
  await run(project, "npx", "vitest", "run", file);

  const source = join(project.folder, "src/controller/appservice_resources.ts");
  const before = readFileSync(source, "utf8");
  writeFileSync(source, before.replace("(spec.replicas ?? 1),", "1 + (spec.replicas ?? 1),"));
  expect(readFileSync(source, "utf8")).not.toBe(before);
  const { exitCode, stdout, stderr } = await tryRun(project, "npx", "vitest", "run", file);
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain("to match object");
});

/**
 * Scales the sample, for which the operator needs three requests, deletes its Deployment and scales again, each when the
 * operator has dealt with what was before.
 */
async function useHands(dev: LongCommand): Promise<void> {
  const [page, token] = (await dev.sees("see what happens: ")).slice("see what happens: ".length).split("#");
  await dev.sees("applied");
  const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const kind = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "AppService" });
  await eventually(() => expectReady(client, kind, 3), dev.watch);
  const plan = { verb: "patch", resource: "deployments.apps", code: 500, times: 2 };
  const { ok } = await fetch(`${page}actions/fail`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(plan),
  });
  expect(ok).toBe(true);
  await client.patch(kind, key, { merge: { spec: { replicas: 2 } } });
  await eventually(() => expectReady(client, kind, 2), dev.watch);
  const { metadata } = await client.get(Deployment, key);
  await client.delete(Deployment, key);
  await eventually(async () => {
    expect((await client.get(Deployment, key)).metadata.uid).not.toBe(metadata.uid);
    await expectReady(client, kind, 2);
  }, dev.watch);
  // States before the deletion of the Deployment don't count: there are three servers only at the end.
  await client.patch(kind, key, { merge: { spec: { replicas: 3 } } });
  await eventually(() => expectReady(client, kind, 3), dev.watch);
}

async function expectReady(client: Client, kind: Kind, replicas: number): Promise<void> {
  const found = await client.get(kind, key);
  expect(found).toMatchObject({
    status: {
      observedGeneration: found.metadata.generation,
      readyReplicas: replicas,
      replicas,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Available", status: "True" }),
        expect.objectContaining({ type: "Progressing", status: "False" }),
      ]),
    },
  });
}
