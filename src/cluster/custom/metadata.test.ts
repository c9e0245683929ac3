import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

const pod = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
};

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({
    crds: [createCRD({ plural: "widgets", kind: "Widget" }, { properties: { pod } })],
  });
});
afterAll(() => cluster.stop());

const path = "/apis/example.com/v1/namespaces/default/widgets";

async function create(metadata: unknown, more: object = {}) {
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata, ...more };
  return (await send(cluster.kubeconfig, { method: "POST", path, body })).body;
}

const field = (name: string, found: string, wanted: string) =>
  `json: cannot unmarshal ${found} into Go struct field ObjectMeta.${name} of type ${wanted}`;

test.each([
  [{ name: 5 }, field("name", "number", "string")],
  [{ name: "a", labels: { a: 1 } }, field("labels", "number", "string")],
  [{ name: "a", annotations: [] }, field("annotations", "array", "map[string]string")],
  [{ name: "a", finalizers: "x" }, field("finalizers", "string", "[]string")],
  ["x", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"],
])("metadata %j is refused", async (metadata, why) => {
  expect(await create(metadata)).toMatchObject({
    code: 400,
    message: `Widget in version "v1" cannot be handled as a Widget: ${why}`,
  });
  expect(cluster.core.store.collection("widgets.example.com").size).toBe(0);
});

test("malformed metadata of an embedded resource is refused", async () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: 5 } };
  expect(await create({ name: "a" }, { pod })).toMatchObject({
    code: 400,
    message: `Widget in version "v1" cannot be handled as a Widget: pod.metadata: Invalid value: {"name":5}: ${field("name", "number", "string")}`,
  });
});

test("nulls and empty values in metadata are dropped", async () => {
  const created = (await create({ name: "b", labels: { a: null }, annotations: {}, finalizers: null })) as {
    metadata: object;
  };
  expect(created.metadata).toMatchObject({ name: "b", labels: { a: "" } });
  expect(Object.keys(created.metadata)).not.toContain("annotations");
  expect(Object.keys(created.metadata)).not.toContain("finalizers");
});
