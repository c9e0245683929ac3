import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { type ReceivedResponse, send } from "../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ kubernetesVersion: "1.37" });
});
afterAll(() => cluster.stop());

const call = (method: string, path: string, body?: unknown, type?: string): Promise<ReceivedResponse> =>
  send(cluster.kubeconfig, { method, path, body, ...(type && { headers: { "Content-Type": type } }) });

test("a cluster of 1.37 says so, and serves the kinds of that release", async () => {
  expect((await call("GET", "/version")).body).toMatchObject({
    minor: "37",
    gitVersion: "v1.37.0+tsbuilder",
  });
  const { text } = await call("GET", "/apis/certificates.k8s.io/v1");
  expect(text).toContain('"clustertrustbundles"');
  expect((await call("GET", "/apis/storagemigration.k8s.io/v1/storageversionmigrations")).code).toBe(200);
  expect((await call("GET", "/openapi/v3/apis/apps/v1")).text).toContain('"Recreate"');
});

test("all clusters of a process serve one release", async () => {
  const another = await startTestCluster();
  expect((await send(another.kubeconfig, { method: "GET", path: "/version" })).body).toMatchObject({
    minor: "37",
  });
  await another.stop();
  await expect(startTestCluster({ kubernetesVersion: "1.36" })).rejects.toThrow(
    "this process serves Kubernetes 1.37 already: start 1.36 in another one",
  );
  await expect(startTestCluster({ kubernetesVersion: "1.9" })).rejects.toThrow(
    'there is no embedded Kubernetes "1.9"',
  );
});

const labels = { app: "x" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };

test("StatefulSets of 1.37 have maxUnavailable, and an error for each field that must not change", async () => {
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  const spec = { serviceName: "a", selector: { matchLabels: labels }, template };
  const created = await call("POST", path, { metadata: { name: "a" }, spec });
  expect(created.body).toMatchObject({
    spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, partition: 0 } } },
  });
  const patch = { spec: { serviceName: "b", podManagementPolicy: "Parallel" } };
  const { body } = await call("PATCH", `${path}/a`, patch, "application/merge-patch+json");
  expect((body as { message: string }).message).toBe(
    'StatefulSet.apps "a" is invalid: [spec.serviceName: Invalid value: "b": field is immutable, spec.podManagementPolicy: Invalid value: "Parallel": field is immutable]',
  );
});

test("autoscalers of 1.37 may scale to zero and count their generations", async () => {
  const spec = {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 0,
    maxReplicas: 1,
    metrics: [
      {
        type: "External",
        external: { metric: { name: "m" }, target: { type: "Value", value: "1" } },
      },
    ],
  };
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const created = await call("POST", path, { metadata: { name: "a" }, spec });
  expect(created).toMatchObject({
    code: 201,
    body: { metadata: { generation: 1 }, spec: { minReplicas: 0 } },
  });
});

test("errors of 1.37 name the owner reference, and are there once; patches must be JSON", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const metadata = { name: "a", labels: { "A b": "1" }, ownerReferences: [{}] };
  const refused = await call("POST", path, { metadata });
  const { message } = refused.body as { message: string };
  expect(message.match(/metadata\.labels: /gu)).toHaveLength(1);
  expect(message).toContain("metadata.ownerReferences[0].apiVersion: Required value: must not be empty");
  expect((await call("PATCH", `${path}/none`, "{", "application/merge-patch+json")).body).toMatchObject({
    code: 400,
    message: "invalid JSON patch",
  });
});
