import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } });
});
afterAll(() => cluster.stop());

const core = "/api/v1/namespaces/default";

async function whoIs(token: string): Promise<number> {
  const kubeconfig = structuredClone(cluster.kubeconfig);
  kubeconfig.users[0].user = { token };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  return (await send(kubeconfig, { method: "POST", path, body: {} })).code;
}

test.each([
  ["Pod", `${core}/pods`, { spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] } }],
  ["Secret", `${core}/secrets`, {}],
  ["Node", "/api/v1/nodes", {}],
])("a token that is bound to a %s is valid while that exists", async (kind, path, content) => {
  const { kubeconfig } = cluster;
  await send(kubeconfig, { method: "POST", path, body: { metadata: { name: "bound" }, ...content } });
  const boundObjectRef = { kind, apiVersion: "v1", name: "bound" };
  const issued = await send(kubeconfig, {
    method: "POST",
    path: `${core}/serviceaccounts/robot/token`,
    body: { spec: { boundObjectRef } },
  });
  const { token } = (issued.body as { status: { token: string } }).status;
  expect(await whoIs(token)).toBe(201);
  await send(kubeconfig, { method: "DELETE", path: `${path}/bound`, body: { gracePeriodSeconds: 0 } });
  expect(await whoIs(token)).toBe(401);
});
