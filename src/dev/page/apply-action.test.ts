import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { applyAction } from "./session-actions.ts";
import type { PageAction } from "./page-action.ts";

let cluster: TestCluster;
let client: Client;
let apply: PageAction;

beforeEach(async () => {
  cluster = await startTestCluster();
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  apply = applyAction(client, namespace);
});
afterEach(() => cluster.stop());

const namespace = "default";

const boxes = {
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "boxes", kind: "Box" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

test("an edited object is written as it is: what is left out is removed, and a dry run stores nothing", async () => {
  const read = async () => (await client.find(ConfigMap, { namespace, name: "edited" }))?.data;
  const edit = (text: string, dryRun = false) => apply({ object: text, dryRun });
  const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: edited\n";
  expect(await edit(`${head}data: { a: "1" }`, true)).toMatchObject({ object: { data: { a: "1" } } });
  expect(await read()).toBeUndefined();
  await edit(`${head}data: { a: "1", b: "2" }`);
  expect(await read()).toEqual({ a: "1", b: "2" });
  const { metadata } = await client.get(ConfigMap, { namespace, name: "edited" });
  expect(metadata.managedFields).toMatchObject([{ manager: "tsbuilder-page" }]);
  await edit(`${head}data: { a: "3" }`);
  expect(await read()).toEqual({ a: "3" });
  const stale = `${head}  resourceVersion: "${metadata.resourceVersion}"\ndata: { a: "4" }`;
  await expect(edit(stale)).rejects.toMatchObject({ status: 409 });
  expect(await read()).toEqual({ a: "3" });
  await client.delete(ConfigMap, { namespace, name: "edited" });
  await edit(`${head}  uid: "${metadata.uid}"\n  resourceVersion: "1"\ndata: { a: "5" }`);
  expect(await read()).toEqual({ a: "5" });
});

test("an edit of a kind without the subresource keeps the status", async () => {
  const crds = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  await client.create(await client.mapper.kindFor(crds), {
    metadata: { name: "boxes.example.com" },
    ...boxes,
  });
  const object = (more: string): string =>
    `apiVersion: example.com/v1\nkind: Box\nmetadata: { name: a }\n${more}`;
  await eventually(() =>
    apply({ object: object("spec: { size: 1 }\nstatus: { ready: true }"), dryRun: false }),
  );
  await apply({ object: object("spec: { size: 2 }"), dryRun: false });
  const kind = await client.mapper.kindFor({ apiVersion: "example.com/v1", kind: "Box" });
  expect(await client.get(kind, { namespace, name: "a" })).toMatchObject({
    spec: { size: 2 },
    status: { ready: true },
  });
});

test("a Secret without values is written", async () => {
  const object = "{ apiVersion: v1, kind: Secret, metadata: { name: empty }, data: null }";
  expect(await apply({ object, dryRun: false })).toMatchObject({ object: { kind: "Secret" } });
});

test.each([
  ["no YAML", "a: [", { message: expect.stringContaining("is not valid YAML") }],
  ["nothing", "# nothing", { message: "an object needs apiVersion, kind and metadata" }],
  ["no name", "{ apiVersion: v1, kind: Pod, metadata: {} }", { message: "the object has no metadata.name" }],
  ["two objects", "a: 1\n---\na: 2", { message: "there is more than one object" }],
  [
    "an unknown field",
    "{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, datta: {} }",
    { message: expect.stringContaining('unknown field "datta"') },
  ],
  [
    "invalid fields",
    "{ apiVersion: v1, kind: Service, metadata: { name: a }, spec: { ports: [{ port: 0, targetPort: 1 }] } }",
    {
      status: 422,
      body: { details: { causes: [expect.objectContaining({ field: "spec.ports[0].port" })] } },
    },
  ],
])("an object is refused with what is wrong: %s", async (_, object, error) => {
  await expect(apply({ object, dryRun: true })).rejects.toMatchObject(error);
});

test("what a page shows of a Secret never becomes its values, and its values are not answered", async () => {
  const secret = (member: string, value: string) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace },
      [member]: { a: value },
    });
  const answer = await apply({ object: secret("stringData", "hunter2") });
  expect(answer).toMatchObject({ object: { data: { a: "(not shown)" } } });
  for (const member of ["data", "stringData"])
    await expect(apply({ object: secret(member, "(not shown)") })).rejects.toMatchObject({
      code: "REFUSED",
      message: "the Secret's values are not shown here: a",
    });
  expect((await client.get(Secret, { namespace, name: "login" })).data).toEqual({
    a: "aHVudGVyMg==",
  });
});
