import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

const text = { type: "string" };
const replicas = { type: "integer" };
const status = { type: "object", properties: { ready: { type: "boolean" } } };
const v1 = {
  name: "v1",
  subresources: { status: {} },
  properties: {
    spec: { type: "object", properties: { color: { ...text, default: "red" }, replicas } },
    status,
  },
};
const v2 = {
  name: "v2",
  subresources: {
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  },
  properties: {
    spec: { type: "object", properties: { color: text, size: { ...text, default: "large" }, replicas } },
    status,
  },
};

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({
    crds: [createCRD({ plural: "widgets", kind: "Widget" }, v1, v2)],
  });
});
afterAll(() => cluster.stop());

const pathIn = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;

async function call(method: string, path: string, body?: object) {
  return send(cluster.kubeconfig, { method, path, ...(body && { body }) });
}

test("a version without the status subresource writes the status with the object", async () => {
  const body = {
    apiVersion: "example.com/v2",
    kind: "Widget",
    metadata: { name: "a" },
    status: { ready: true },
  };
  expect((await call("POST", pathIn("v2"), body)).body).toMatchObject({ status: { ready: true } });
  expect((await call("GET", `${pathIn("v1")}/a`)).body).toMatchObject({ status: { ready: true } });
  expect((await call("GET", `${pathIn("v2")}/a/status`)).code).toBe(404);
  expect((await call("GET", `${pathIn("v1")}/a/status`)).code).toBe(200);
});

test("the scale of a version exists there alone", async () => {
  const body = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "b" },
    spec: { replicas: 2 },
  };
  expect((await call("POST", pathIn("v1"), body)).code).toBe(201);
  expect((await call("GET", `${pathIn("v2")}/b/scale`)).body).toMatchObject({ spec: { replicas: 2 } });
  expect((await call("GET", `${pathIn("v1")}/b/scale`)).code).toBe(404);
  const { body: list } = await call("GET", "/apis/example.com/v2");
  expect((list as { resources: { name: string }[] }).resources.map(({ name }) => name)).toEqual([
    "widgets",
    "widgets/scale",
  ]);
});

test("an object has the defaults of the version in which it is stored", async () => {
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "c" }, spec: {} };
  expect((await call("POST", pathIn("v1"), body)).body).toMatchObject({ spec: { color: "red" } });
  const { spec } = (await call("GET", `${pathIn("v2")}/c`)).body as { spec: object };
  expect(spec).toEqual({ color: "red" });
});

test("a Scale holds replicas of 32 bits, and only of an object that has some", async () => {
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "d" } };
  await call("POST", pathIn("v1"), body);
  expect((await call("GET", `${pathIn("v2")}/d/scale`)).body).toMatchObject({
    code: 500,
    message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
  });
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "d" },
    spec: { replicas: 2 ** 31 },
  };
  expect((await call("PUT", `${pathIn("v2")}/d/scale`, scale)).code).toBe(400);
});
