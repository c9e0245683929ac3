import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";
import { send } from "../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const get = (headers: Record<string, string> = {}) =>
  send(cluster.kubeconfig, { method: "GET", path: "/openapi/v2", headers });

interface Swagger {
  readonly swagger: string;
  readonly definitions: Record<string, { properties?: object }>;
  readonly paths: Record<string, Record<string, { parameters?: { name: string }[] }>>;
}

test("/openapi/v2 has all groups in one document, with all definitions that it refers to", async () => {
  const { code, body } = await get();
  const document = body as Swagger;
  expect([code, document.swagger]).toEqual([200, "2.0"]);
  const referred = [...JSON.stringify(document).matchAll(/"#\/definitions\/([^"]+)"/gu)].map(
    ([, name]) => name!,
  );
  expect(referred.filter((name) => !document.definitions[name])).toEqual([]);
  expect(Object.keys(document.definitions)).toContain("io.k8s.api.apps.v1.Deployment");
  const patch = document.paths["/api/v1/namespaces/{namespace}/configmaps/{name}"]!["patch"]!;
  expect(patch.parameters!.map(({ name }) => name)).toContain("fieldValidation");
});

test.each(["spec.v2@v1.0", "spec.v2.v1.0"])(
  "/openapi/v2 is protobuf for clients that accept %s",
  async (name) => {
    const { code, headers, text } = await get({
      Accept: `application/com.github.proto-openapi.${name}+protobuf`,
    });
    expect([code, headers["content-type"]]).toEqual([
      200,
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    ]);
    // The first field is the OpenAPI version.
    expect(text.slice(0, 5)).toBe("\n\u00032.0");
  },
);

test("/openapi/v2 shows a CRD from its creation on, also to those who asked while it was made", async () => {
  const plural = (name: string) => `${name.toLowerCase()}s.example.com`;
  const create = (kind: string) =>
    send(cluster.kubeconfig, {
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      body: {
        metadata: { name: plural(kind) },
        spec: {
          group: "example.com",
          names: { kind, plural: `${kind.toLowerCase()}s` },
          scope: "Namespaced",
          versions: [
            { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          ],
        },
      },
    });
  const kindsIn = async () =>
    Object.keys(((await get()).body as Swagger).definitions).filter((name) =>
      name.startsWith("com.example."),
    );
  await create("First");
  const [early] = await Promise.all([kindsIn(), create("Second")]);
  expect(early).toContain("com.example.v1.First");
  expect(await kindsIn()).toEqual(expect.arrayContaining(["com.example.v1.First", "com.example.v1.Second"]));
  await send(cluster.kubeconfig, {
    method: "DELETE",
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural("Second")}`,
  });
  expect(await kindsIn()).not.toContain("com.example.v1.Second");
});

test("/openapi/v2 is not sent again to clients that have it", async () => {
  const { headers } = await get();
  expect((await get({ "If-None-Match": headers.etag! })).code).toBe(304);
});
