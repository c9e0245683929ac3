import { afterAll, beforeAll, expect, test } from "vitest";
import { editFile } from "../../support/projects/webhook-project.ts";
import { registryHost } from "../../oracle/real/node/addresses.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";
import { startTraffic } from "./traffic.ts";

// A kind gets a second version while objects of the first are in use. The tests depend on each other.

const { missing, start } = prepareNodeProject("a conversion webhook on a real node");
const image = (tag: string): string => `${registryHost}/team/shop-operator:${tag}`;
const system = "shop-operator-system";
const manager = "deployment/shop-operator-controller-manager";
const kind = ["--group", "apps", "--kind", "Shop"];
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await start("shop-operator");
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...kind, "--version", "v1", "--make=false");
  await project.create("create", "webhook", ...kind, "--version", "v1", "--programmatic-validation");
  await project.create("edit", "--disable", "cert-manager", "--enable", "self-signed");
  edit("config/manager/manager.yaml", "replicas: 1", "replicas: 2");
  await ship("v1");
  await project.kubectl("apply --kustomize config/samples");
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)(
  "a second version with a conversion webhook refuses no request",
  async () => {
    const versions = ["--version", "v2", "--controller=false", "--make=false"];
    await project.create("create", "api", ...kind, ...versions);
    await project.create("create", "webhook", ...kind, "--version", "v1", "--conversion", "--spoke", "v2");
    edit("api/v2/shop_types.ts", "foo?: string;", "bar?: string;");
    edit(
      "src/webhook/v2/shop_conversion.ts",
      "return { spec, status };",
      "return { spec: { foo: spec.bar }, status };",
    );
    edit(
      "src/webhook/v2/shop_conversion.ts",
      "return { spec, status };",
      "return { spec: { bar: spec.foo }, status };",
    );
    edit("config/samples/apps_v2_shop.yaml", "foo: bar", "bar: bar");
    await project.create("manifests");
    const traffic = await startTraffic(project.node.kubeconfig, "v1");
    await ship("v2");
    const { requests, refusals } = await traffic.stop();
    expect(refusals).toEqual([]);
    expect(requests).toBeGreaterThan(20);
    expect(await project.kubectl("get shops.v2.apps.example.com shop-sample --output=jsonpath={.spec}")).toBe(
      '{"bar":"bar"}',
    );
  },
);

test.skipIf(missing !== undefined)(
  "no change of the second version is refused while pods are replaced",
  async () => {
    const traffic = await startTraffic(project.node.kubeconfig, "v2");
    await project.kubectl(`rollout restart --namespace ${system} ${manager}`);
    await project.kubectl(`rollout status --namespace ${system} ${manager}`);
    const { requests, refusals } = await traffic.stop();
    expect(refusals).toEqual([]);
    expect(requests).toBeGreaterThan(20);
  },
);

async function ship(tag: string): Promise<void> {
  await project.tsbuilder("build", "--image", image(tag), "--load", "kind");
  const { stderr } = await project.tsbuilder("deploy", "--image", image(tag), "--wait");
  expect(stderr).toContain("The operator is available.");
}

function edit(file: string, from: string, to: string): void {
  editFile({ folder: project.folder, env: {} }, file, from, to);
}
