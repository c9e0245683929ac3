import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { repository } from "../../support/source-imports.ts";
import { watchProcess } from "../../support/watched-process.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// The other ways to a running operator: `run`, a single manifest, a chart. Each leaves the cluster as it was.

const { missing, start } = prepareNodeProject("run, installer and chart on a real node");
const image = "shop-operator:v1";
const system = "shop-operator-system";
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await start("shop-operator");
  await project.create("init", "--domain", "example.com");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("create", "api", ...api);
  await project.create("edit", "--enable", "network-policy");
  await project.tsbuilder("build", "--image", image, "--load", "kind");
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)("run: the operator works from outside of the cluster", async () => {
  await project.tsbuilder("install");
  const [nsenter = "", ...enter] = project.node.enter;
  const cli = join(repository, "bin/tsbuilder.js");
  const words = ["env", `--chdir=${project.folder}`, process.execPath, cli, "run", "--context", "real-node"];
  const env = { ...process.env, KUBECONFIG: project.node.insideKubeconfig };
  const child = spawn(nsenter, [...enter, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  const operator = watchProcess("tsbuilder run", child);
  await project.kubectl("apply --kustomize config/samples");
  await eventually(() => operator.lines.some((line) => line.includes("Reconciled Shop")), operator.watch);
  expect(await waitForSample()).toContain("condition met");
  await project.kubectl("delete --kustomize config/samples");
  await operator.stop();
  await project.tsbuilder("uninstall");
  expect(await leftovers()).toEqual([]);
});

test.skipIf(missing !== undefined)("installer: one manifest installs and removes the operator", async () => {
  await project.tsbuilder("installer", "--image", image, "--output", "dist/install.yaml");
  await project.kubectl("apply --server-side --filename dist/install.yaml");
  await project.kubectl(`rollout status --namespace ${system} deployment --timeout=${timeoutIn.journey}`);
  await project.kubectl("apply --kustomize config/samples");
  expect(await waitForSample()).toContain("condition met");
  await project.kubectl("delete --kustomize config/samples");
  await project.kubectl("delete --filename dist/install.yaml");
  expect(await leftovers()).toEqual([]);
});

test.skipIf(missing !== undefined)("chart: helm installs, upgrades, rolls back and uninstalls", async () => {
  await project.tsbuilder("chart");
  const release = ["shop", "dist/chart", "--namespace", system, "--wait", "--timeout", timeoutIn.journey];
  const from = ["--set", "manager.image.repository=shop-operator", "--set", "manager.image.tag=v1"];
  await helm("install", ...release, "--create-namespace", ...from);
  await project.kubectl("apply --kustomize config/samples");
  expect(await waitForSample()).toContain("condition met");
  // The node's network enforces none, but the API server validates it.
  const policies = `get networkpolicies --namespace ${system} --output=name`;
  expect(await project.kubectl(policies)).toContain("allow-metrics-traffic");
  await helm("upgrade", ...release, ...from, "--set", "manager.replicas=2");
  expect(await readyPods()).toBe(2);
  await helm("rollback", "shop", "1", "--namespace", system, "--wait", "--timeout", timeoutIn.journey);
  await eventually(async () => expect(await readyPods()).toBe(1));
  await project.kubectl("delete --kustomize config/samples");
  await helm("uninstall", "shop", "--namespace", system, "--wait");
  await project.kubectl(`delete namespace ${system}`);
  // A chart keeps its CRDs, and with them all objects.
  expect(await leftovers()).toEqual(["customresourcedefinition.apiextensions.k8s.io/shops.apps.example.com"]);
});

function helm(...words: string[]) {
  return project.inside.run(project.helm, ...words);
}

function waitForSample(): Promise<string> {
  return project.kubectl(`wait shop/shop-sample --for=condition=Ready --timeout=${timeoutIn.journey}`);
}

async function readyPods(): Promise<number> {
  const names = await project.kubectl(`get pods --namespace ${system} --output=jsonpath={..metadata.name}`);
  return names.split(" ").length;
}

/** The objects that an operator leaves in a cluster, beyond its namespace. */
async function leftovers(): Promise<string[]> {
  const kinds = "namespaces,crd,clusterroles,clusterrolebindings";
  const names = await project.kubectl(`get ${kinds} --output=name`);
  return names.split("\n").filter((name) => name.includes("shop"));
}
