import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPrograms } from "../support/kubectl-binaries.ts";
import { run, type Shell, tryRun } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";

// One scaffolded project, developed and deployed as a user would: `tsbuilder dev`, edits, then `tsbuilder deploy`.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: install, deploy and undeploy: ${programs.missing}`);
const patient = { timeout: 60_000 };
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
  await run(project, "node", cli, "init", "--domain", "example.com");
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

test("dev reconciles the sample, and takes up edits of a type and of the reconciler", async () => {
  await withDev(async (lines, kubeconfig) => {
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    const kind = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
    const key = { namespace: "default", name: "mysql-sample" };
    await eventually(async () => {
      expect(await client.get(kind, key)).toMatchObject({
        status: { conditions: [{ type: "Ready", status: "True" }] },
      });
    }, patient);

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
    }, patient);

    edit("src/controller/mysql_controller.ts", 'reason: "Reconciled"', 'reason: "Edited"');
    await eventually(async () => {
      expect(await client.get(kind, key)).toMatchObject({ status: { conditions: [{ reason: "Edited" }] } });
    }, patient);

    edit("api/v1/mysql_types.ts", '"red" | "blue";', '"red" | ;');
    await eventually(() => lines.some((line) => line.includes("api/v1/mysql_types.ts:")), patient);
    edit("api/v1/mysql_types.ts", '"red" | ;', '"red" | "blue";');
    // What dev writes itself, here the definition, is no edit.
    expect(lines.filter((line) => line.startsWith("config/") && line.includes("reloaded"))).toEqual([]);
  });
});

test("dev names the marker that is missing when the operator is refused", async () => {
  edit(
    "src/controller/mysql_controller.ts",
    "apps.example.com,resources=mysqls,",
    "apps.example.com,resources=others,",
  );
  await withDev(async (lines) => {
    const hint = "+kubebuilder:rbac:groups=apps.example.com,resources=mysqls,verbs=";
    await eventually(() => expect(lines.join("\n")).toContain(hint), patient);
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
  "deploy brings the operator to a cluster, undeploy takes it away",
  async () => {
    const kubeconfig = join(work, "cluster.kubeconfig");
    const cluster = spawn(process.execPath, [cli, "cluster", "start", "--kubeconfig", kubeconfig], {
      cwd: work,
    });
    await firstLine(cluster);
    try {
      const there = { ...project, env: { ...project.env, KUBECONFIG: kubeconfig } };
      const deployed = await run(there, "node", cli, "deploy", "--image", "r.io/mysql-operator:v1", "--wait");
      expect(deployed.stderr).toContain('in context "tsbuilder"');
      const image = ["get", "deployment", "-n", "mysql-operator-system", "-o", "jsonpath={..image}"];
      expect((await run(there, "kubectl", ...image)).stdout).toBe("r.io/mysql-operator:v1");
      await run(there, "kubectl", "apply", "-k", "config/samples");

      const kept = await run(there, "node", cli, "undeploy");
      expect(kept.stderr).toContain(
        "keep CustomResourceDefinition mysqls.apps.example.com: 1 objects are left",
      );
      expect((await tryRun(there, "kubectl", "get", "namespace", "mysql-operator-system")).exitCode).toBe(1);
      expect((await run(there, "kubectl", "get", "mysqls")).stdout).toContain("mysql-sample");
      await run(there, "node", cli, "uninstall", "--force");
      expect((await tryRun(there, "kubectl", "get", "crd", "mysqls.apps.example.com")).exitCode).toBe(1);
    } finally {
      await end(cluster);
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

/** Runs `tsbuilder dev --samples` around some work; afterwards nothing of it may be left running. */
async function withDev(play: (lines: string[], kubeconfig: string) => Promise<void>): Promise<void> {
  const lines: string[] = [];
  const dev = spawn(process.execPath, [cli, "dev", "--samples"], {
    cwd: project.folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
  try {
    for (const stream of [dev.stdout, dev.stderr])
      createInterface({ input: stream }).on("line", (line) => lines.push(line));
    await eventually(
      () => existsSync(kubeconfig) && lines.some((line) => line.startsWith("applied")),
      patient,
    );
    await play(lines, kubeconfig);
  } catch (error) {
    throw new Error(`dev printed:\n${lines.join("\n")}`, { cause: error });
  } finally {
    expect(await end(dev)).toBe(0);
  }
}

function edit(file: string, from: string, to: string): void {
  const path = join(project.folder, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replaceAll(from, to));
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
    createInterface({ input: child.stdout! }).once("line", resolve);
  });
}

function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.removeAllListeners("exit").once("exit", resolve);
    child.kill("SIGTERM");
  });
}
