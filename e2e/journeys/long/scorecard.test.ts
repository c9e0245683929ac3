import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Cluster, startCluster } from "@tsbuilder/cluster";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseManifest } from "../../../src/ship/manifest.ts";
import { eventually } from "../../support/eventually.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { editFile } from "../../support/projects/webhook-project.ts";

// The scorecard of a project's bundle: its operator runs on an embedded cluster, and the project adds tests of its own.

const programs = findPrograms("36");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: tsbuilder scorecard: ${missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-scorecard-"));
const cli = join(repository, "bin/tsbuilder.js");
let project: Shell;
let cluster: Cluster | undefined;

interface TestList {
  readonly items: readonly {
    readonly status: {
      readonly results: readonly {
        readonly name: string;
        readonly state: string;
        readonly suggestions?: readonly string[];
      }[];
    };
  }[];
}

async function scorecard(...flags: string[]) {
  const { exitCode, stdout } = await tryRun(project, "node", cli, "scorecard", "--output", "json", ...flags);
  const results = (JSON.parse(stdout) as TestList).items.flatMap(({ status }) => status.results);
  return {
    exitCode,
    states: results.map(({ name, state }) => `${state} ${name}`),
    suggestions: results.flatMap(({ suggestions = [] }) => suggestions),
  };
}

const types = "api/v1/mysql_types.ts";
const rbac = `// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch\n`;

beforeAll(async () => {
  if ("missing" in programs) return;
  const folder = join(work, "mysql-operator");
  mkdirSync(folder);
  project = { folder, env: { HOME: work, PATH: `${dirname(programs.kubectl)}:${process.env["PATH"]}` } };
  await initProject(project);
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
  const controller = "src/controller/mysql_controller.ts";
  const ready = "await this.#client.patchStatus(";
  editFile(
    project,
    controller,
    ready,
    `await this.#client.apply(ConfigMap, { metadata: { namespace: mysql.metadata.namespace, name: "made" } }, { owner: mysql });\n    ${ready}`,
  );
  const text = readFileSync(join(folder, controller), "utf8");
  const file = `import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";\n${rbac}${text}`;
  writeFileSync(join(folder, controller), file);
  await run(project, "node", cli, "manifests");
  await run(project, "node", cli, "bundle", "--image", "registry.example.com/mysql:v1");
});

afterAll(async () => {
  await cluster?.stop();
  rmSync(work, { recursive: true, force: true });
});

describe.skipIf(missing !== undefined)("tsbuilder scorecard", () => {
  test("sees what the operator makes of the examples, and says what the bundle does not", async () => {
    const { exitCode, states, suggestions } = await scorecard();

    expect(exitCode).toBe(1);
    expect(states.filter((state) => !state.startsWith("pass"))).toEqual(["fail olm-crds-have-resources"]);
    expect(suggestions).toContain(
      'MySQL v1: the operator made these: // +operator-sdk:csv:customresourcedefinitions:resources={{ConfigMap,v1,""}}',
    );
  });

  test("passes with the marker that it suggested, and runs the tests of the project", async () => {
    editFile(
      project,
      types,
      " */\nexport interface MySQL extends",
      ` * +operator-sdk:csv:customresourcedefinitions:resources={{ConfigMap,v1,""}}\n */\nexport interface MySQL extends`,
    );
    await run(project, "node", cli, "bundle", "--image", "registry.example.com/mysql:v1");
    mkdirSync(join(project.folder, "test/scorecard"));
    writeFileSync(
      join(project.folder, "test/scorecard/made.test.ts"),
      `import { createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";

const client = createClient(await loadConfig({ kubeconfig: process.env["KUBECONFIG"] }));
test("the ConfigMap is there", async () => {
  const namespace = process.env["TSBUILDER_NAMESPACE"];
  expect(await client.find(ConfigMap, { namespace, name: "made" })).toBeDefined();
});
test("another is there", async () => {
  expect(await client.find(ConfigMap, { namespace: "default", name: "other" })).toBeDefined();
});
`,
    );
    writeFileSync(join(project.folder, "test/scorecard/broken.test.ts"), "throw new Error('broken');\n");
    const { exitCode, states } = await scorecard();

    expect(exitCode).toBe(1);
    expect(states.filter((state) => !state.startsWith("pass"))).toEqual([
      "fail test/scorecard/broken.test.ts",
      "fail another is there",
    ]);
    expect(states).toContain("pass olm-crds-have-resources");
    expect(states).toContain("pass olm-status-descriptors");
    expect(states).toContain("pass the ConfigMap is there");
  });

  test("on another cluster, it deletes the examples that it created, also if Ctrl-C stops it", async () => {
    const temporary = join(work, "tmp");
    mkdirSync(temporary);
    cluster = await startCluster();
    const kubeconfig = join(work, "kubeconfig");
    writeFileSync(kubeconfig, JSON.stringify(cluster.kubeconfig));
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    const [crd] = parseManifest(
      readFileSync(join(project.folder, "config/crd/bases/apps.example.com_mysqls.yaml"), "utf8"),
    );
    await client.create(await client.mapper.kindFor(crd!), crd!);
    const mysql = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
    const flags = ["--kubeconfig", kubeconfig, "--wait-time", "1s", "--selector", "suite=basic"];

    const { states } = await scorecard(...flags);
    const left = await client.list(mysql);
    const stopped = spawn(process.execPath, [cli, "scorecard", ...flags, "--wait-time", "1h"], {
      cwd: project.folder,
      env: { ...process.env, ...project.env, TMPDIR: temporary },
      stdio: "ignore",
    });
    const ended = once(stopped, "exit");
    await eventually(async () => {
      if ((await client.list(mysql)).length === 0) throw new Error("nothing was created");
    });
    stopped.kill("SIGINT");
    const [exitCode] = (await ended) as [number | null];
    const leftByStopped = [(await client.list(mysql)).length, ...readdirSync(temporary)];
    const csv = join(project.folder, "bundle/manifests/mysql-operator.clusterserviceversion.yaml");
    const text = readFileSync(csv, "utf8");
    writeFileSync(csv, text.replace('"kind": "MySQL"', '"kind": "Nothing"'));
    const unknown = await scorecard(...flags);
    writeFileSync(csv, text);
    await scorecard(...flags, "--skip-cleanup");
    const kept = await client.list(mysql);
    await client.close();

    expect(states).toEqual(["pass basic-check-spec"]);
    expect(unknown.states).toEqual(["error basic-check-spec"]);
    expect(unknown.suggestions).toContainEqual(expect.stringContaining("tsbuilder deploy --context NAME"));
    expect([left.length, kept.length]).toEqual([0, 1]);
    expect([exitCode, leftByStopped]).toEqual([130, [0]]);
  });
});
