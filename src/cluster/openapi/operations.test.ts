import { afterAll, beforeAll, expect, test } from "vitest";
import { createCRD } from "../../../e2e/support/cluster/create-crd.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/start-test-cluster.ts";

// e2e/oracle/real/documents.test.ts compares all documents with those of a real API server.

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install(createCRD({ plural: "things", kind: "Thing" }, { properties: {} }));
});
afterAll(() => cluster.stop());

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

const readPath = async (document: string, path: string): Promise<Record<string, Operation>> => {
  const { body } = await send(cluster.kubeconfig, { method: "GET", path: `/openapi/v3/${document}` });
  return (body as { paths: Record<string, Record<string, Operation>> }).paths[path]!;
};

test("every operation has a name of its own, also those of subresources and older watches", async () => {
  const { body } = await send(cluster.kubeconfig, { method: "GET", path: "/openapi/v2" });
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const names = Object.values(paths)
    .flatMap((path) => Object.entries(path))
    .flatMap(([method, { operationId }]) => (method === "parameters" ? [] : [operationId]));
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([
      "listCoreV1PodForAllNamespaces",
      "deleteRbacAuthorizationV1CollectionNamespacedRole",
      "replaceCoreV1NamespaceFinalize",
      "connectCoreV1GetNamespacedPodExec",
      "watchAppsV1NamespacedDeploymentList",
      "patchExampleComV1NamespacedThing",
    ]),
  );
});

test("what all operations of a path may be asked stands at the path", async () => {
  const path = await readPath("apis/apps/v1", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
  const namesOf = (parameters: unknown) => (parameters as { name: string }[]).map(({ name }) => name);
  expect(namesOf(path["parameters"])).toEqual(["name", "namespace", "pretty"]);
  expect(namesOf(path["patch"]!.parameters)).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
  expect(path["get"]!.parameters).toBeUndefined();
});

test("a custom resource has neither protobuf nor strategic merge patches", async () => {
  const path = "/apis/example.com/v1/namespaces/{namespace}/things/{name}";
  const { get, patch } = await readPath("apis/example.com/v1", path);
  expect(Object.keys(get!.responses["200"]!.content!)).toEqual(["application/json", "application/yaml"]);
  expect(Object.keys(patch!.requestBody!.content)).toEqual([
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
  ]);
});

test.each([
  ["apis/networking.k8s.io/v1", "/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses", "an Ingress"],
  ["api/v1", "/api/v1/namespaces/{namespace}/endpoints", "Endpoints"],
  ["api/v1", "/api/v1/namespaces", "a Namespace"],
])("in %s, POST %s is said to create %s", async (document, path, kind) => {
  expect((await readPath(document, path))["post"]!.description).toBe(`create ${kind}`);
});

test("a type is described as itself, and a field that refers to it as the field", async () => {
  const { body } = await send(cluster.kubeconfig, { method: "GET", path: "/openapi/v3/apis/apps/v1" });
  const { schemas } = (body as { components: { schemas: Record<string, Schema> } }).components;
  interface Schema {
    readonly description: string;
    readonly properties: Record<string, Schema>;
  }
  expect(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]!.description).toMatch(/^ObjectMeta is/);
  const { metadata } = schemas["io.k8s.api.apps.v1.Deployment"]!.properties;
  expect(metadata!.description).toMatch(/^Standard object's metadata/);
});
