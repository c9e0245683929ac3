import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const pool = { name: "p", generation: 0, resourceSliceCount: 1 };
const sliceSpec = { driver: "gpu.example.com", pool, nodeName: "n" };

test.each([
  [
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    { spec: { holderIdentity: "a", strategy: "OldestEmulationVersion", preferredHolder: "b" } },
    { spec: { holderIdentity: "a" } },
  ],
  [
    "/apis/storage.k8s.io/v1/csidrivers",
    { spec: { preventPodSchedulingIfMissing: true } },
    { spec: { attachRequired: true } },
  ],
  [
    "/apis/resource.k8s.io/v1/resourceslices",
    { spec: { ...sliceSpec, devices: [{ name: "d", attributes: { cores: { int: 1, ints: [1, 2] } } }] } },
    { spec: { devices: [{ name: "d", attributes: { cores: { int: 1 } } }] } },
  ],
])("a server drops fields whose feature gate is off: %s", async (path, object, expected) => {
  const body = { metadata: { name: "gated.example.com" }, ...object };
  const created = await send(cluster.kubeconfig, { method: "POST", path, body });
  expect(created).toMatchObject({ code: 201, body: expected });
  // Managed fields still list them.
  const { spec } = created.body as { spec: object };
  expect(JSON.stringify(spec)).not.toMatch(/preferredHolder|preventPodSchedulingIfMissing|"ints":/u);
});
