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

test("/openapi/v2 is not sent again to clients that have it", async () => {
  const { headers } = await get();
  expect((await get({ "If-None-Match": headers.etag! })).code).toBe(304);
});
