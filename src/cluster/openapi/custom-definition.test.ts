import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/start-test-cluster.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

interface Definition {
  readonly properties: Readonly<Record<string, { readonly description: string; readonly default?: unknown }>>;
}

interface Document {
  readonly definitions?: Readonly<Record<string, Definition>>;
  readonly components?: { readonly schemas: Readonly<Record<string, Definition>> };
}

const read = async (path: string): Promise<Document> =>
  (await send(cluster.kubeconfig, { method: "GET", path: `/openapi/${path}` })).body as Document;

test("a custom resource and its list describe the fields that every kind has as built-in kinds do", async () => {
  const size = { type: "integer", description: "How many." };
  await cluster.install(createCRD({ plural: "things", kind: "Thing" }, { properties: { size } }));
  const builtIn = (await read("v3/api/v1")).components!.schemas;
  const custom = (await read("v3/apis/example.com/v1")).components!.schemas;
  for (const suffix of ["", "List"]) {
    const { apiVersion, kind, metadata } = builtIn[`io.k8s.api.core.v1.Pod${suffix}`]!.properties;
    expect(kind!.description).toMatch(/^Kind is a/);
    const { default: _, ...shared } = metadata!;
    expect(custom[`com.example.v1.Thing${suffix}`]!.properties).toMatchObject({
      apiVersion,
      kind,
      metadata: shared,
    });
  }
  expect(custom["com.example.v1.Thing"]!.properties["size"]).toEqual(size);
});

test("embedded objects and int-or-strings are published with their types, for kubectl only where fields are known", async () => {
  const embedded = { type: "object", "x-kubernetes-embedded-resource": true };
  const open = { ...embedded, "x-kubernetes-preserve-unknown-fields": true };
  const properties = {
    port: { "x-kubernetes-int-or-string": true },
    known: { ...embedded, properties: { spec: { type: "object" } } },
    open,
  };
  await cluster.install(createCRD({ plural: "parts", kind: "Part" }, { properties }));
  const required = ["kind", "apiVersion"];
  const typed = {
    required,
    properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: {} },
  };
  const v3 = await read("v3/apis/example.com/v1");
  expect(v3.components!.schemas["com.example.v1.Part"]!.properties).toMatchObject({
    port: { anyOf: [{ type: "integer" }, { type: "string" }] },
    known: typed,
    open: typed,
  });
  const v2 = await read("v2");
  const { port, ...rest } = v2.definitions!["com.example.v1.Part"]!.properties;
  expect(port).toEqual(properties.port);
  expect(rest).toMatchObject({ known: typed });
  const { type: _, ...untyped } = open;
  expect(rest["open"]).toEqual(untyped);
});
