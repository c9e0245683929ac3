import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { editFile } from "../../support/projects/webhook-project.ts";
import { registryHost } from "../../oracle/real/node/addresses.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";
import { startTraffic } from "./traffic.ts";

// From a scaffold to a running operator and back, on a real node, with Docker Engine and a registry that wants a login.
// The tests depend on each other.

const { missing, start } = prepareNodeProject("an operator's life on a real node");
const image = (tag: string): string => `${registryHost}/team/shop-operator:${tag}`;
const system = "shop-operator-system";
const manager = "deployment/shop-operator-controller-manager";
const shop = "shops.apps.example.com/shop-sample";
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await start("shop-operator");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...api, "--make=false");
  await project.create("create", "webhook", ...api, "--defaulting", "--programmatic-validation");
  await project.create("edit", "--disable", "cert-manager", "--enable", "self-signed");
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)("Docker Engine builds the image and pushes it after a login", async () => {
  const { stdout } = await project.tsbuilder("build", "--image", image("v1"), "--push", "--tool", "docker");
  expect(stdout.trim().split("\n").at(-1)).toBe(image("v1"));
});

test.skipIf(missing !== undefined)("deploy --wait names the login that is missing", async () => {
  const words = ["deploy", "--image", image("v1"), "--wait", "--timeout", "20"];
  const failed = await project.tryTsbuilder(...words);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toMatch(/container manager is waiting: (ErrImagePull|ImagePullBackOff)/);
  expect(failed.stderr).toContain(image("v1"));
});

test.skipIf(missing !== undefined)("with an image pull secret the operator becomes available", async () => {
  const { user, password } = project.engines.login;
  const login = [
    `--docker-server=${registryHost}`,
    `--docker-username=${user}`,
    `--docker-password=${password}`,
  ];
  await project.kubectl(`create secret docker-registry registry --namespace ${system}`, ...login);
  const account = "serviceAccountName: controller-manager";
  edit("config/manager/manager.yaml", account, `imagePullSecrets:\n      - name: registry\n      ${account}`);
  const { stderr } = await project.tsbuilder("deploy", "--image", image("v1"), "--wait");
  expect(stderr).toContain("The operator is available.");
});

test.skipIf(missing !== undefined)("the sample passes the webhooks and becomes ready", async () => {
  await project.kubectl("apply --kustomize config/samples");
  expect(await waitForSample()).toContain("condition met");
});

test.skipIf(missing !== undefined)("logs and exec reach a container that runs restricted", async () => {
  expect(await project.kubectl(`logs --namespace ${system} ${manager}`)).toContain("Reconciled Shop");
  const script = "console.log(process.getuid(), process.env.POD_NAMESPACE)";
  const output = await project.kubectl(`exec --namespace ${system} ${manager} -- node -e`, script);
  expect(output).toBe(`65532 ${system}\n`);
  const written = await project.inside.tryRun(
    "kubectl",
    ...`exec --namespace ${system} ${manager} -- node -e`.split(" "),
    "fs.writeFileSync('/app/x', '')",
  );
  expect(written.stderr).toContain("EROFS");
});

test.skipIf(missing !== undefined)("another pod leads after the leader's was killed", async () => {
  await project.kubectl(`scale --namespace ${system} ${manager} --replicas 2`);
  await project.kubectl(`rollout status --namespace ${system} ${manager}`);
  const leader = await readLeader();
  await project.kubectl(`delete pod --namespace ${system} ${leader} --grace-period 0 --force`);
  await eventually(async () => expect(await readLeader()).not.toBe(leader));
  await project.kubectl(`rollout status --namespace ${system} ${manager}`);
  await project.kubectl("delete --kustomize config/samples");
  await project.kubectl("apply --kustomize config/samples");
  expect(await waitForSample()).toContain("condition met");
});

test.skipIf(missing !== undefined)("an upgrade that changes the CRD refuses no request", async () => {
  const field = "foo?: string;";
  edit("api/v1/shop_types.ts", field, `${field}\n\n  /** +kubebuilder:default=wide */\n  width?: string;`);
  await project.create("manifests");
  edit("config/manager/manager.yaml", "replicas: 1", "replicas: 2");
  await project.tsbuilder("build", "--image", image("v2"), "--push", "--tool", "docker");
  const traffic = await startTraffic(project.node.kubeconfig, "v1");
  const { stderr } = await project.tsbuilder("deploy", "--image", image("v2"), "--wait");
  expect(stderr).toContain("The operator is available.");
  const replicas = `get ${manager} --namespace ${system} --output=jsonpath={.status.replicas}{.status.updatedReplicas}`;
  expect(await project.kubectl(replicas)).toBe("22");
  const { requests, refusals } = await traffic.stop();
  expect(refusals).toEqual([]);
  expect(requests).toBeGreaterThan(20);
  expect(await project.kubectl(`get ${shop} --output=jsonpath={.spec.width}`)).toBe("wide");
});

test.skipIf(missing !== undefined)("undeploy keeps what has objects, and takes away the rest", async () => {
  const { stderr } = await project.tsbuilder("undeploy");
  expect(stderr).toContain("keep CustomResourceDefinition shops.apps.example.com: it still has 1 object");
  await project.kubectl("delete --kustomize config/samples");
  await project.tsbuilder("undeploy");
  const kinds =
    "crd,clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations";
  const left = await project.kubectl(`get ${kinds} --output=name`);
  expect(left.split("\n").filter((name) => /shop/.test(name))).toEqual([]);
  expect(await project.kubectl(`get namespace ${system} --ignore-not-found`)).toBe("");
});

function edit(file: string, from: string, to: string): void {
  editFile({ folder: project.folder, env: {} }, file, from, to);
}

function waitForSample(): Promise<string> {
  return project.kubectl(`wait --for=condition=Ready ${shop} --timeout=${timeoutIn.journey}`);
}

async function readLeader(): Promise<string> {
  const leases = await project.kubectl(
    `get leases --namespace ${system} --output=jsonpath={..holderIdentity}`,
  );
  return leases.split("_")[0]!;
}
