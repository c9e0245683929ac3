import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { installOperator } from "../../support/operators/operator-process.ts";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { FakeKubelet } from "../../support/cluster/fake-kubelet.ts";

// From a project to a running operator and back on a real control plane; a fake kubelet reports the pods, and the
// operator runs as a separate process with the deployed ServiceAccount's token. The tests depend on each other.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms(kubectlReleases.at(-1)!);
const binaries = findBinaries({ build: false });
const missing =
  "missing" in binaries ? binaries.missing : "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: deploy on a real control plane: ${missing}`);

const system = "mysql-operator-system";
const managerName = "mysql-operator-controller-manager";
const crd = "mysqls.apps.example.com";
const work = mkdtempSync(join(tmpdir(), "tsbuilder-real-ship-"));
let project: Shell;
let control: ControlPlane;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  if ("missing" in binaries || "missing" in programs) return;
  control = await startControlPlane(binaries.folder, { controllerManager: true });
  client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  const path = `${dirname(programs.kubectl)}:${process.env["PATH"]}`;
  project = shellIn("mysql-operator", path);
});

afterAll(async () => {
  await client?.close();
  await control?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)("install creates the CRDs, uninstall deletes them", async () => {
  expect((await tsbuilder("install", "--dry-run")).stdout).toContain("serverside-applied (server dry run)");
  expect(await exists("crd", crd)).toBe(false);
  expect((await tsbuilder("install", "--diff")).stdout).toContain("+  name: mysqls.apps.example.com");
  await tsbuilder("install");
  expect(await exists("crd", crd)).toBe(true);
  expect((await tsbuilder("install", "--diff")).stdout).toBe("nothing would change\n");

  await eventually(() => run(project, "kubectl", "apply", "-k", "config/samples"));
  const kept = await tsbuilder("uninstall");
  expect(kept.stderr).toContain(`keep CustomResourceDefinition ${crd}: it still has 1 object`);
  expect((await kubectl("get", "mysqls", "-o", "name")).stdout).toBe("mysql.apps.example.com/mysql-sample\n");
  await tsbuilder("uninstall", "--force");
  expect(await exists("crd", crd)).toBe(false);
});

test.skipIf(missing !== undefined)(
  "deploy names the kinds that the cluster does not serve, and writes nothing",
  async () => {
    const team = shellIn("team-operator", project.env["PATH"]!);
    for (const flags of [[], ["--diff"], ["--dry-run"]]) {
      const failed = await tryRun(team, "node", cli, "deploy", ...flags);
      expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
      expect(failed.stderr).toContain(
        "error: the cluster does not serve Certificate (cert-manager.io/v1), Issuer (cert-manager.io/v1), PrometheusRule (monitoring.coreos.com/v1), ServiceMonitor (monitoring.coreos.com/v1)",
      );
      expect(failed.stderr).toContain("tsbuilder edit --disable cert-manager --enable self-signed");
      expect(await exists("crd", "workspaces.team.example.com")).toBe(false);
    }
    // Objects left from an earlier, partial install are deleted, too.
    await run(team, "kubectl", "create", "namespace", "team-operator-system");
    expect((await run(team, "node", cli, "undeploy")).stdout).toContain(
      'namespace "team-operator-system" deleted',
    );
  },
);

test.skipIf(missing !== undefined)(
  "deploy --wait reports why there is no pod, or why it does not start",
  async () => {
    await tsbuilder("edit", "--enable", "restricted");
    const file = join(project.folder, "config/manager/manager.yaml");
    const manager = readFileSync(file, "utf8");
    writeFileSync(file, manager.replace("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"));
    const refused = await waitInVain();
    expect(refused.stderr).toMatch(/ReplicaFailure: pods "mysql-operator-.*violates PodSecurity "restricted/);
    writeFileSync(file, manager);

    const pending = await waitInVain();
    expect(pending.stderr).toMatch(/pod mysql-operator-\S+: Pending, on no node yet/);
    const pod = await eventually(async () => {
      const [first] = await client.list(Pod, { namespace: system, live: true });
      return first ?? false;
    });
    await client.patchStatus(Pod, pod, {
      ...pod.status,
      containerStatuses: [
        {
          name: "manager",
          image: "r.io/operator:v1",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: "ImagePullBackOff", message: "the registry wants a login" } },
        },
      ],
    });
    const unpullable = await waitInVain();
    expect(unpullable.stderr).toContain(
      "container manager is waiting: ImagePullBackOff the registry wants a login",
    );
  },
);

test.skipIf(missing !== undefined)("deploy, reconcile, prune, undeploy", async () => {
  const kubelet = new FakeKubelet(client);
  try {
    const deployed = await tsbuilder("deploy", "--image", "r.io/operator:v2", "--wait");
    expect(deployed.stderr).toContain(`Deploying in context "real" (${control.url}), namespace "${system}"`);
    expect(deployed.stderr).toContain("The operator is available.");
    const image = await kubectl("get", "deployment", managerName, "-n", system, "-o", "jsonpath={..image}");
    expect(image.stdout).toBe("r.io/operator:v2");
    const same = ["deploy", "--image", "r.io/operator:v2", "--diff"];
    expect((await tsbuilder(...same)).stdout).toBe("nothing would change\n");

    const installed = await installOperator({
      client,
      kubeconfig: control.kubeconfig,
      folder: work,
      project: join(repository, "e2e/golden/mysql-operator"),
      install: async () => undefined,
      account: { namespace: system, name: managerName },
    });
    const operator = await installed.start({
      flags: ["--leader-elect", `--leader-election-namespace=${system}`],
    });
    try {
      await run(project, "kubectl", "apply", "-k", "config/samples");
      await run(
        project,
        "kubectl",
        "wait",
        "--for=condition=Ready",
        "mysql/mysql-sample",
        `--timeout=${timeoutIn.build}`,
      );
      expect(operator.refused()).toEqual([]);
    } finally {
      await operator.stop();
    }

    const rbac = join(project.folder, "config/rbac/kustomization.yaml");
    const lines = readFileSync(rbac, "utf8").split("\n");
    writeFileSync(rbac, lines.filter((line) => !line.includes("viewer_role")).join("\n"));
    const pruned = await tsbuilder("deploy", "--image", "r.io/operator:v2", "--prune");
    expect(pruned.stdout).toContain('"mysql-operator-mysql-viewer-role" deleted');
    expect(await exists("clusterrole", "mysql-operator-mysql-viewer-role")).toBe(false);
    expect(await exists("clusterrole", "mysql-operator-mysql-editor-role")).toBe(true);

    await kubectl("create", "service", "clusterip", "neighbour", "--tcp=80", "-n", system);
    const careful = await tsbuilder("undeploy");
    expect(careful.stderr).toContain(`keep CustomResourceDefinition ${crd}: it still has 1 object`);
    expect(careful.stderr).toContain(`keep Namespace ${system}: it contains 1 object of others`);
    expect(await exists("deployment", managerName, "-n", system)).toBe(false);
    expect(await exists("service", "neighbour", "-n", system)).toBe(true);
    await tsbuilder("undeploy", "--force");
    expect(await exists("namespace", system)).toBe(false);
    expect(await exists("crd", crd)).toBe(false);
  } finally {
    await kubelet.stop();
  }
});

function shellIn(golden: string, path: string): Shell {
  const folder = join(work, golden);
  if (!existsSync(folder)) cpSync(join(repository, "e2e/golden", golden), folder, { recursive: true });
  return { folder, env: { PATH: path, KUBECONFIG: control.kubeconfig, HOME: work } };
}

function tsbuilder(...words: string[]): Promise<CommandResult> {
  return run(project, "node", cli, ...words);
}

function waitInVain(): Promise<CommandResult> {
  const words = ["deploy", "--image", "r.io/operator:v1", "--wait", "--timeout", "6"];
  return tryRun(project, "node", cli, ...words);
}

function kubectl(...words: string[]): Promise<CommandResult> {
  return tryRun(project, "kubectl", ...words);
}

async function exists(...words: string[]): Promise<boolean> {
  const { exitCode, stderr } = await kubectl("get", ...words);
  if (exitCode !== 0 && !stderr.includes("NotFound")) throw new Error(stderr);
  return exitCode === 0;
}
