import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/start-test-cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

interface Definition {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

test("a custom resource and its list describe the fields that every kind has as built-in kinds do", async () => {
  const size = { type: "integer", description: "How many." };
  await cluster.install(createCRD({ plural: "things", kind: "Thing" }, { properties: { size } }));
  const read = async (path: string): Promise<Readonly<Record<string, Definition>>> => {
    const { body } = await send(cluster.kubeconfig, { method: "GET", path: `/openapi/v3/${path}` });
    return (body as { components: { schemas: Record<string, Definition> } }).components.schemas;
  };
  const builtIn = await read("api/v1");
  const custom = await read("apis/example.com/v1");
  for (const suffix of ["", "List"]) {
    const { apiVersion, kind, metadata } = builtIn[`io.k8s.api.core.v1.Pod${suffix}`]!.properties;
    expect(kind!.description).toMatch(/^Kind is a/);
    expect(custom[`com.example.v1.Thing${suffix}`]!.properties).toMatchObject({ apiVersion, kind, metadata });
  }
  expect(custom["com.example.v1.Thing"]!.properties["size"]).toEqual(size);
});
