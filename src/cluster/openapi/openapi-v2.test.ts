import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { RequestContext } from "../http/request-context.ts";
import { TimeSlices } from "../http/time-slices.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";
import { SwaggerDocument } from "./swagger.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const get = (headers: Record<string, string> = {}, { kubeconfig } = cluster) =>
  send(kubeconfig, { method: "GET", path: "/openapi/v2", headers });

const create = (kind: string, { kubeconfig } = cluster) =>
  send(kubeconfig, {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: `${kind.toLowerCase()}s.example.com` },
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
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/seconds.example.com",
  });
  expect(await kindsIn()).not.toContain("com.example.v1.Second");
});

test("/openapi/v2 is not sent again to clients that have it", async () => {
  const { headers } = await get();
  expect((await get({ "If-None-Match": headers.etag! })).code).toBe(304);
});

test("a document of what was served before does not have its successor made again", async () => {
  const other = await startTestCluster();
  const begin = vi.spyOn(other.core.slices, "begin");
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  begin.mockImplementationOnce(() => () => held);
  const early = get({}, other);
  await vi.waitFor(() => expect(begin).toHaveBeenCalled());
  await create("Third", other);
  await get({}, other);
  release();
  await early;
  const begun = begin.mock.calls.length;
  await get({}, other);
  // The document is only sent, and not made again.
  expect(begin.mock.calls.length).toBe(begun + 1);
  await other.stop();
});

test("clients that have the document do not have it made again", async () => {
  const read = vi.fn<() => AsyncIterable<Buffer>>();
  const document = new SwaggerDocument({ state: "a", read, slices: new TimeSlices() });
  const ask = (etag: string) =>
    document.answer({ headers: { "if-none-match": etag } } as RequestContext["request"]);
  const etag = `"${createHash("sha512").update("a").digest("hex").toUpperCase()}"`;
  expect([(await ask(etag)).code, read.mock.calls]).toEqual([304, []]);
});
