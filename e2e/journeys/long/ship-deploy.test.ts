import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controllerNames, type Stage, startCluster } from "@tsbuilder/cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// The output and the effects of `tsbuilder deploy` on the embedded cluster. The tests depend on each other.

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
if (missing !== undefined) console.log(`left out: deploy on the embedded cluster: ${missing}`);
const work = mkdtempSync(join(tmpdir(), "tsbuilder-deploy-"));
const system = "mysql-operator-system";
const manager = "mysql-operator-controller-manager";
const editor = "mysql-operator-mysql-editor-role";
let project: Shell;
let cluster: Awaited<ReturnType<typeof startCluster>>;

beforeAll(async () => {
  if ("missing" in programs) return;
  cluster = await startCluster({ controllers: controllerNames, stages: unpullable() });
  writeFileSync(join(work, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
  const folder = join(work, "mysql-operator");
  cpSync(join(repository, "e2e/golden/mysql-operator"), folder, { recursive: true });
  const path = `${dirname(programs.kubectl)}:${process.env["PATH"]}`;
  project = { folder, env: { PATH: path, KUBECONFIG: join(work, "kubeconfig"), HOME: work } };
});

afterAll(async () => {
  await cluster?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined).each(["--diff", "--dry-run"])(
  "deploy %s says what a first deploy would create, and creates nothing",
  async (flag) => {
    const { stdout } = await deploy(flag);
    expect(stdout).toContain(`Deployment ${system}/${manager} would be created, as well as its namespace`);
    expect(stdout).toContain(editor);
    expect((await kubectl("get", "namespace", system)).exitCode).toBe(1);
    expect((await kubectl("get", "clusterrole", editor)).exitCode).toBe(1);
  },
);

test.skipIf(missing !== undefined)(
  "deploy --diff shows only the differences, or that there are none",
  async () => {
    await deploy("--image", "r.io/op:v1");
    expect((await deploy("--image", "r.io/op:v1", "--diff")).stdout).toBe("nothing would change\n");
    const changed = (await deploy("--image", "r.io/op:v2", "--diff")).stdout;
    expect(changed).toMatch(/^-\s+image: r\.io\/op:v1$/m);
    expect(changed).toMatch(/^\+\s+image: r\.io\/op:v2$/m);
    expect(changed).not.toContain("ClusterRole");
    expect(await deployedImage()).toBe("r.io/op:v1");
  },
);

test.skipIf(missing !== undefined)(
  "deploy --dry-run validates a change on the cluster without applying it",
  async () => {
    const { stdout } = await deploy("--image", "r.io/op:v2", "--dry-run");
    expect(stdout).toContain(`deployment.apps/${manager} serverside-applied (server dry run)`);
    expect(await deployedImage()).toBe("r.io/op:v1");
  },
);

test.skipIf(missing !== undefined)(
  "deploy --wait gives the reason why the operator is not ready",
  async () => {
    const words = ["--image", "r.io/private:v1", "--wait", "--timeout", "4"];
    const failed = await tryRun(project, "node", cli, "deploy", ...words);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(`deployment "${manager}" is not available after 4 s`);
    expect(failed.stderr).toContain(
      "container manager is waiting: ImagePullBackOff Back-off pulling the image",
    );
    expect(failed.stderr).toContain("event Failed of Pod");
    expect(failed.stderr).toContain(`kubectl describe deployment ${manager} --namespace ${system}`);
  },
);

test.skipIf(missing !== undefined)(
  "deploy --prune deletes only objects that are no longer deployed",
  async () => {
    await kubectl("create", "clusterrole", "mysql-operator-own", "--verb", "get", "--resource", "pods");
    const file = join(project.folder, "config/rbac/kustomization.yaml");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.filter((line) => !line.includes("editor_role")).join("\n"));

    expect((await deploy()).stdout).not.toContain("deleted");
    expect((await kubectl("get", "clusterrole", editor)).exitCode).toBe(0);
    expect((await deploy("--prune")).stdout).toContain(`"${editor}" deleted`);
    expect((await kubectl("get", "clusterrole", editor)).exitCode).toBe(1);
    expect((await kubectl("get", "clusterrole", "mysql-operator-own")).exitCode).toBe(0);
    expect((await kubectl("get", "deployment", manager, "--namespace", system)).exitCode).toBe(0);
  },
);

test.skipIf(missing !== undefined)("deploy shows kustomize's error, and writes nothing", async () => {
  writeFileSync(join(project.folder, "config/manager/kustomization.yaml"), "resources: [nowhere.yaml]\n");
  const failed = await tryRun(project, "node", cli, "deploy", "--image", "r.io/op:v3");
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain("nowhere.yaml");
  expect(await deployedImage()).not.toContain("v3");
});

/**
 * A registry that the node can't pull from: the pod status that a kubelet reports for an operator with a private
 * image.
 */
function unpullable(): Stage[] {
  const next = {
    event: { type: "Warning", reason: "Failed", message: "the registry wants a login" },
    statusTemplate: `phase: Pending
containerStatuses:
- name: manager
  image: r.io/private:v1
  imageID: ""
  ready: false
  restartCount: 0
  state: { waiting: { reason: ImagePullBackOff, message: Back-off pulling the image } }
`,
  };
  return [
    stage("unpullable", "DoesNotExist", { next }),
    // The kubelet ignores pods that a stage waits for, so the pod stays as it is.
    stage("still-unpullable", "Exists", { delay: { durationMilliseconds: 3_600_000 }, next: {} }),
  ];
}

function stage(
  name: string,
  containerStatuses: "Exists" | "DoesNotExist",
  transition: Pick<Stage["spec"], "delay" | "next">,
): Stage {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: {
      resourceRef: { kind: "Pod" },
      selector: {
        matchLabels: { "control-plane": "controller-manager" },
        matchExpressions: [
          { key: ".status.containerStatuses", operator: containerStatuses },
          { key: ".metadata.deletionTimestamp", operator: "DoesNotExist" },
        ],
      },
      ...transition,
    },
  };
}

function deploy(...words: string[]): Promise<CommandResult> {
  return run(project, "node", cli, "deploy", ...words);
}

function kubectl(...words: string[]): Promise<CommandResult> {
  return tryRun(project, "kubectl", ...words);
}

async function deployedImage(): Promise<string> {
  return (await kubectl("get", "deployment", manager, "-n", system, "-o", "jsonpath={..image}")).stdout;
}
