import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps/a";

async function apply(body: string | object, query = "") {
  const headers = { "Content-Type": "application/apply-patch+yaml" };
  return send(cluster.kubeconfig, { method: "PATCH", path: `${path}?fieldManager=m${query}`, body, headers });
}

test("an apply with duplicate keys is refused under Strict, and warned about otherwise", async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: "1"\n  x: "2"\n';
  expect((await apply(text, "&fieldValidation=Strict")).body).toMatchObject({
    code: 400,
    message:
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "x" already set in map',
  });
  expect((await apply(text)).body).toMatchObject({ data: { x: "2" } });
});

test("an apply that creates can't have a uid", async () => {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "x" } };
  await send(cluster.kubeconfig, { method: "DELETE", path });
  expect((await apply(body)).body).toMatchObject({
    code: 409,
    message:
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid x, and no existing object was found',
  });
});

test("an apply says what Go can't convert", async () => {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", creationTimestamp: "x" } };
  expect((await apply(body)).body).toMatchObject({
    code: 500,
    message:
      'failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  });
});

test("YAML bodies are read by the rules of YAML 1.1", async () => {
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: no\n";
  expect((await apply(text, "&force=true")).body).toMatchObject({ immutable: false });
});

test("an object in braces that is YAML, not JSON, may have a quote within a word", async () => {
  const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: it"s}}`;
  expect((await apply(text, "&force=true")).body).toMatchObject({ data: { k: 'it"s' } });
});
