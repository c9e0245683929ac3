import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "./testing/send.ts";
import { startTestCluster, type TestCluster } from "./testing/index.ts";
import { eventually } from "../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

interface Answer {
  readonly code: number;
  readonly body: unknown;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  type = "application/json",
): Promise<Answer> {
  return send(cluster.kubeconfig, { method, path, headers: { "Content-Type": type }, body });
}

const configMaps = "/api/v1/namespaces/default/configmaps";

test("the cluster creates, reads, patches and deletes a ConfigMap", async () => {
  const created = await call("POST", configMaps, { metadata: { name: "a" }, data: { k: "v" } });
  expect(created.code).toBe(201);
  expect(created.body).toMatchObject({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { namespace: "default" },
  });
  const merged = await call("PATCH", `${configMaps}/a`, { data: { l: "w" } }, "application/merge-patch+json");
  expect(merged.body).toMatchObject({ data: { k: "v", l: "w" } });
  const operations = [{ op: "remove", path: "/data/k" }];
  const patched = await call("PATCH", `${configMaps}/a`, operations, "application/json-patch+json");
  expect(patched.body).toMatchObject({ data: { l: "w" } });
  expect((await call("DELETE", `${configMaps}/a`)).body).toMatchObject({ status: "Success" });
  expect((await call("GET", `${configMaps}/a`)).body).toMatchObject({ reason: "NotFound", code: 404 });
});

test("the Service of the API server is recreated when it is deleted", async () => {
  const path = "/api/v1/namespaces/default/services/kubernetes";
  const { metadata } = (await call("GET", path)).body as { metadata: { uid: string } };
  expect((await call("DELETE", path)).code).toBe(200);
  await eventually(async () =>
    expect((await call("GET", path)).body).toMatchObject({
      metadata: { uid: expect.not.stringMatching(metadata.uid) },
      spec: { clusterIP: "10.96.0.1" },
    }),
  );
});

test("the cluster serves a custom resource with defaults and a status subresource", async () => {
  await cluster.installCRDs(crd);
  const things = "/apis/example.com/v1/namespaces/default/things";
  const created = await call("POST", things, {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "a" },
    spec: { junk: 1 },
    status: { ready: true },
  });
  expect(created.body).toMatchObject({ spec: { size: 3 }, metadata: { generation: 1 } });
  expect(created.body).not.toHaveProperty("status");
  const status = await call(
    "PATCH",
    `${things}/a/status`,
    { status: { ready: true }, spec: { size: 9 } },
    "application/merge-patch+json",
  );
  expect(status.body).toMatchObject({
    spec: { size: 3 },
    status: { ready: true },
    metadata: { generation: 1 },
  });
});

test("the API server has a Service, as in any cluster", async () => {
  const { body } = await call("GET", "/api/v1/namespaces/default/services/kubernetes");
  const { port } = new URL(cluster.url);
  expect(body).toMatchObject({
    metadata: { labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: Number(port) }] },
  });
});

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer", default: 3 } } },
              status: { type: "object", properties: { ready: { type: "boolean" } } },
            },
          },
        },
      },
    ],
  },
};
