import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
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

test("an object that was written in a version which is gone can't be applied, and other writes drop its managers", async () => {
  const names = { plural: "gadgets", kind: "Gadget" };
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.example.com`;
  const other = await startTestCluster({ crds: [createCRD(names, v1, v2)] });
  onTestFinished(() => other.stop());
  const sendOther = async (method: string, path: string, body: object, type = "application/json") =>
    send(other.kubeconfig, { method, path, body, headers: { "content-type": type } });
  const gadget = (version: string, spec: object) => ({
    apiVersion: `example.com/${version}`,
    kind: "Gadget",
    metadata: { name: "a" },
    spec,
  });
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/gadgets`;
  const apply = (version: string, spec: object, manager: string) =>
    sendOther(
      "PATCH",
      `${path(version)}/a?fieldManager=${manager}`,
      gadget(version, spec),
      "application/apply-patch+yaml",
    );
  expect((await apply("v1", { color: "blue" }, "first")).code).toBe(201);
  const withoutFirst = { spec: { versions: createCRD(names, v2).spec.versions } };
  const stored = { status: { storedVersions: ["v2"] } };
  await sendOther("PATCH", `${definition}/status`, stored, "application/merge-patch+json");
  expect((await sendOther("PATCH", definition, withoutFirst, "application/merge-patch+json")).code).toBe(200);

  const refused = await apply("v2", { color: "green" }, "second");
  expect(refused.body).toMatchObject({
    code: 500,
    message: "request to convert CR to an invalid group/version: example.com/v1",
  });
  const changed = { metadata: { labels: { a: "b" } } };
  const patched = await sendOther("PATCH", `${path("v2")}/a`, changed, "application/merge-patch+json");
  expect(patched.body).toMatchObject({ metadata: { labels: { a: "b" } } });
  expect(patched.body).not.toHaveProperty("metadata.managedFields");
});
