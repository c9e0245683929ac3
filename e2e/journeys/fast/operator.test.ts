import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// One scaffolded project, developed and deployed as a user would: `tsbuilder dev`, edits, then `tsbuilder deploy`.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: install, deploy and undeploy: ${programs.missing}`);
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-operator-"));
  const folder = join(work, "mysql-operator");
  mkdirSync(folder);
  if ("kubectl" in programs) mkdirSync(join(work, "bin"));
  const path =
    "kubectl" in programs ? `${join(programs.kubectl, "..")}:${process.env["PATH"]}` : process.env["PATH"]!;
  project = { folder, env: { PATH: path, HOME: work } };
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("dev reconciles the sample, reloads edits of a type and of the reconciler, and records that", async () => {
  await withDev(reloadEdits, "--record", "session.jsonl");
  const about = ["--object", "default/mysql-sample"];
  const { stdout } = await run(project, "node", cli, "replay", "session.jsonl", ...about);
  const story = stdout.trimEnd().split("\n");
  expect(story[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} {2}MySQL default\/mysql-sample is created by kubernetes-admin/u,
  );
  expect(story).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/mysql reconciles default\/mysql-sample, because of add of .*: done in \d+ ms/u),
      expect.stringMatching(/MySQL default\/mysql-sample changes in status.*, by controller-manager$/u),
    ]),
  );
});

async function reloadEdits(dev: LongCommand, kubeconfig: string): Promise<void> {
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const kind = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
  const key = { namespace: "default", name: "mysql-sample" };
  await eventually(async () => {
    expect(await client.get(kind, key)).toMatchObject({
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
  }, dev.watch);

  edit(
    "api/v1/mysql_types.ts",
    "foo?: string;",
    'foo?: string;\n  /** Its color. */\n  color?: "red" | "blue";',
  );
  const definitions = await client.mapper.kindFor({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  });
  await eventually(async () => {
    const definition = await client.get(definitions, { name: "mysqls.apps.example.com" });
    expect(JSON.stringify(definition["spec"])).toContain('"enum":["red","blue"]');
  }, dev.watch);

  edit("src/controller/mysql_controller.ts", 'reason: "Reconciled"', 'reason: "Edited"');
  await eventually(async () => {
    expect(await client.get(kind, key)).toMatchObject({ status: { conditions: [{ reason: "Edited" }] } });
  }, dev.watch);

  edit("api/v1/mysql_types.ts", '"red" | "blue";', '"red" | ;');
  await dev.sees("api/v1/mysql_types.ts:");
  edit("api/v1/mysql_types.ts", '"red" | ;', '"red" | "blue";');
  // The files that dev writes, here the CRD, don't count as edits.
  expect(dev.lines.filter((line) => line.startsWith("config/") && line.includes("reloaded"))).toEqual([]);
}

test("dev names the missing RBAC marker when the API server forbids a request", async () => {
  edit(
    "src/controller/mysql_controller.ts",
    "apps.example.com,resources=mysqls,",
    "apps.example.com,resources=others,",
  );
  await withDev(async (dev) => {
    const hint = "+kubebuilder:rbac:groups=apps.example.com,resources=mysqls,verbs=";
    expect(await dev.sees(hint)).toMatch(/verbs=\w+/);
  });
  edit(
    "src/controller/mysql_controller.ts",
    "apps.example.com,resources=others,",
    "apps.example.com,resources=mysqls,",
  );
});

test("build bundles the operator into one file that starts", async () => {
  await run(project, "npm", "run", "build");
  const help = await run(project, "node", "dist/main.js", "--help");
  expect(help.stdout + help.stderr).toContain("--leader-elect");
});

test.skipIf("missing" in programs)(
  "deploy installs the operator in a cluster, undeploy removes it",
  async () => {
    const kubeconfig = join(work, "cluster.kubeconfig");
    const cluster = startTsbuilder(project, "cluster", "start", "--kubeconfig", kubeconfig);
    await cluster.sees("cluster ready at");
    try {
      const there = { ...project, env: { ...project.env, KUBECONFIG: kubeconfig } };
      const deployed = await run(there, "node", cli, "deploy", "--image", "r.io/mysql-operator:v1", "--wait");
      expect(deployed.stderr).toContain('in context "tsbuilder"');
      expect(deployed.stderr).toContain("which shows pods as running without their containers");
      expect(deployed.stderr).not.toContain("The operator is available");
      const image = ["get", "deployment", "-n", "mysql-operator-system", "-o", "jsonpath={..image}"];
      expect((await run(there, "kubectl", ...image)).stdout).toBe("r.io/mysql-operator:v1");
      await run(there, "kubectl", "apply", "-k", "config/samples");

      const kept = await run(there, "node", cli, "undeploy");
      expect(kept.stderr).toContain(
        "keep CustomResourceDefinition mysqls.apps.example.com: it still has 1 object",
      );
      expect((await tryRun(there, "kubectl", "get", "namespace", "mysql-operator-system")).exitCode).toBe(1);
      expect((await run(there, "kubectl", "get", "mysqls")).stdout).toContain("mysql-sample");
      await run(there, "node", cli, "uninstall", "--force");
      expect((await tryRun(there, "kubectl", "get", "crd", "mysqls.apps.example.com")).exitCode).toBe(1);
    } finally {
      await cluster.stop();
    }
    const dead = await tryRun(
      { ...project, env: { ...project.env, KUBECONFIG: kubeconfig } },
      "node",
      cli,
      "install",
    );
    expect(dead.exitCode).toBe(1);
    expect(dead.stderr).toContain("does not respond");
  },
);

/** Runs `tsbuilder dev --samples` during some work; afterwards none of its processes may be left. */
async function withDev(
  work: (dev: LongCommand, kubeconfig: string) => Promise<void>,
  ...flags: string[]
): Promise<void> {
  const dev = startTsbuilder(project, "dev", "--samples", ...flags);
  try {
    await dev.sees("applied");
    await work(dev, join(project.folder, ".tsbuilder/dev/kubeconfig"));
  } finally {
    expect(await dev.stop()).toBe(0);
  }
}

function edit(file: string, from: string, to: string): void {
  const path = join(project.folder, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replaceAll(from, to));
}
