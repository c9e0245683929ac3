import { createCA } from "@tsbuilder/apimachinery/certs";
import { expect, test } from "vitest";
import { group, patchOf, useWebhooks } from "../../../../e2e/support/cluster/webhook-scene.ts";
import { send } from "../../testing/send.ts";

const scene = useWebhooks();

test("a mutating webhook changes the object before it is stored", async () => {
  scene.hooks.answers = { "/m": () => patchOf([{ op: "add", path: "/data", value: { from: "webhook" } }]) };
  await scene.configure("Mutating", "m", {});
  expect((await scene.create("mutated")).body).toMatchObject({ data: { from: "webhook" } });
});

test("webhooks run in the order of their configurations' names, and again after later changes if IfNeeded", async () => {
  scene.hooks.answers = {
    "/a": ({ request }) =>
      patchOf([
        { op: "add", path: "/metadata/labels", value: { ...request.object.metadata.labels, a: "1" } },
      ]),
    "/b": ({ request }) =>
      patchOf([
        { op: "add", path: "/metadata/labels", value: { ...request.object.metadata.labels, b: "1" } },
      ]),
  };
  await scene.configure("Mutating", "b", {});
  await scene.configure("Mutating", "a", { reinvocationPolicy: "IfNeeded" });
  expect((await scene.create("twice")).body).toMatchObject({ metadata: { labels: { a: "1", b: "1" } } });
  expect(scene.hooks.seen).toEqual(["/a CREATE", "/b CREATE", "/a CREATE"]);
});

test("a validating webhook's denial has its message, code and warnings", async () => {
  scene.hooks.answers = {
    "/v": () => ({ allowed: false, status: { code: 422, message: "not this one" }, warnings: ["beware"] }),
  };
  await scene.configure("Validating", "v", {});
  const { code, body, headers } = await scene.create("refused");
  expect(code).toBe(422);
  expect(body).toMatchObject({
    message: 'admission webhook "v.example.com" denied the request: not this one',
  });
  expect(headers["warning"]).toBe('299 - "beware"');
});

test("envtest's client configuration works: the serving certificate as CA bundle, a path with two slashes", async () => {
  scene.hooks.answers = { "/own": () => ({ allowed: false, status: { message: "not this one" } }) };
  await scene.configure("Validating", "own", {
    clientConfig: { url: `${scene.hooks.url}//own/`, caBundle: scene.hooks.certBundle },
  });
  expect((await scene.create("refused")).body).toMatchObject({
    message: 'admission webhook "own.example.com" denied the request: not this one',
  });
});

test("a webhook whose certificate is not in the CA bundle is not called", async () => {
  const { cert } = createCA({ commonName: "another" });
  await scene.configure("Validating", "strange", {
    clientConfig: { url: `${scene.hooks.url}/own`, caBundle: Buffer.from(cert).toString("base64") },
  });
  expect((await scene.create("unreached")).body).toMatchObject({ code: 500, reason: "InternalError" });
  expect(scene.hooks.seen).toEqual([]);
});

test("a webhook that can't be reached fails the request, or is ignored", async () => {
  await scene.configure("Validating", "gone", {
    clientConfig: { url: "https://127.0.0.1:1/gone", caBundle: scene.hooks.caBundle },
  });
  expect((await scene.create("unreachable")).body).toMatchObject({
    code: 500,
    reason: "InternalError",
    message: expect.stringMatching(
      /^Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https:\/\/127.0.0.1:1\/gone\?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused$/,
    ) as string,
  });
  await send(scene.cluster.kubeconfig, {
    method: "DELETE",
    path: `${group}/validatingwebhookconfigurations`,
  });
  await scene.configure("Validating", "ignored", {
    clientConfig: { url: "https://127.0.0.1:1/gone", caBundle: scene.hooks.caBundle },
    failurePolicy: "Ignore",
  });
  expect((await scene.create("ignored")).code).toBe(201);
});

test("a denial without a code is a bad request, and keeps its details", async () => {
  const details = { causes: [{ reason: "FieldValueInvalid", field: "data", message: "no" }] };
  scene.hooks.answers = { "/d": () => ({ allowed: false, status: { message: "not so", details } }) };
  await scene.configure("Validating", "d", {});
  expect((await scene.create("denied")).body).toMatchObject({
    code: 400,
    message: 'admission webhook "d.example.com" denied the request: not so',
    details,
  });
});

test.each([
  [
    { allowed: "yes" },
    "json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
  ],
  [{ allowed: true, patchType: "JSONPatch", patch: "%%%" }, "illegal base64 data at input byte 0"],
])("a response that is none fails the request: %j", async (answer, why) => {
  scene.hooks.answers = { "/n": () => answer };
  await scene.configure("Mutating", "n", {});
  expect((await scene.create("none")).body).toMatchObject({
    code: 500,
    message: `Internal error occurred: failed calling webhook "n.example.com": failed to call webhook: ${why}`,
  });
});

test("warnings of webhooks are in UTF-8, and those that are empty or have control characters are dropped", async () => {
  scene.hooks.answers = { "/w": () => ({ allowed: true, warnings: ["", "a\nb", "a\u0085b", 'ä "☃"'] }) };
  await scene.configure("Validating", "w", {});
  const { headers } = await scene.create("warned", "?dryRun=All");
  expect(Buffer.from(headers["warning"] as string, "latin1").toString()).toBe('299 - "ä \\"☃\\""');
});

test("a validating webhook may not return a patch", async () => {
  scene.hooks.answers = { "/p": () => patchOf([{ op: "add", path: "/data", value: {} }]) };
  await scene.configure("Validating", "p", {});
  expect((await scene.create("patched")).body).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: failed calling webhook "p.example.com": received invalid webhook response: validating webhook may not return response.patch',
  });
});

test("selectors and match conditions decide whether a webhook is called", async () => {
  scene.hooks.answers = { "/s": () => ({ allowed: false }) };
  await scene.configure("Validating", "s", {
    objectSelector: { matchLabels: { guarded: "yes" } },
    matchConditions: [{ name: "not-free", expression: "!object.metadata.name.startsWith('free')" }],
  });
  expect((await scene.create("plain")).code).toBe(201);
  expect((await scene.create("free-one", "", { labels: { guarded: "yes" } })).code).toBe(201);
  expect((await scene.create("guarded", "", { labels: { guarded: "yes" } })).code).toBe(400);
});

test("a dry run calls only webhooks without side effects", async () => {
  scene.hooks.answers = { "/d": ({ request }) => ({ allowed: request.dryRun === true }) };
  await scene.configure("Validating", "d", {});
  expect((await scene.create("dry", "?dryRun=All")).code).toBe(201);
  // As stored before v1: today's API refuses webhooks with unknown side effects.
  const { store } = scene.cluster.core;
  const configurations = store.collection("validatingwebhookconfigurations.admissionregistration.k8s.io");
  const { key, object } = configurations.get("d")!;
  const { webhooks } = object as unknown as { webhooks: [object] };
  store.put(configurations, key, {
    ...object,
    webhooks: [{ ...webhooks[0], sideEffects: "Unknown" }],
  });
  expect((await scene.create("dry", "?dryRun=All")).body).toMatchObject({
    code: 400,
    message: 'admission webhook "d.example.com" does not support dry run',
  });
});

test("a Service resolves to a local process", async () => {
  scene.hooks.answers = { "/svc": () => ({ allowed: false, status: { message: "through the service" } }) };
  await scene.configure("Validating", "svc", {
    clientConfig: {
      service: { namespace: "default", name: "hook", path: "/svc" },
      caBundle: scene.hooks.caBundle,
    },
  });
  expect((await scene.create("by-service")).body).toMatchObject({
    message: expect.stringContaining("through the service") as string,
  });
});

test("a conversion webhook serves a CRD in both its versions", async () => {
  scene.hooks.seen = [];
  scene.calls = [];
  scene.hooks.answers = {
    "/convert": ({ request }) => ({
      result: { status: "Success" },
      convertedObjects: request.objects!.map((object) => {
        const { host, hostPort, ...rest } = object as unknown as Record<string, unknown>;
        const up = request.desiredAPIVersion === "conv.example.com/v2";
        const moved = up ? { hostPort: host } : { host: hostPort };
        return { ...rest, ...moved, apiVersion: request.desiredAPIVersion };
      }),
    }),
  };
  const schema = (field: string) => ({
    openAPIV3Schema: { type: "object", properties: { [field]: { type: "string" } } },
  });
  await scene.cluster.installCRDs({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "hosts.conv.example.com" },
    spec: {
      group: "conv.example.com",
      scope: "Cluster",
      names: { plural: "hosts", kind: "Host" },
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${scene.hooks.url}/convert`, caBundle: scene.hooks.caBundle },
        },
      },
      versions: [
        { name: "v1", served: true, storage: true, schema: schema("host") },
        { name: "v2", served: true, storage: false, schema: schema("hostPort") },
      ],
    },
  });
  const path = (version: string) => `/apis/conv.example.com/${version}/hosts`;
  const body = { apiVersion: "conv.example.com/v2", kind: "Host", metadata: { name: "a" }, hostPort: "x" };
  expect(
    (await send(scene.cluster.kubeconfig, { method: "POST", path: path("v2"), body })).body,
  ).toMatchObject({
    hostPort: "x",
  });
  expect(
    (await send(scene.cluster.kubeconfig, { method: "GET", path: `${path("v1")}/a` })).body,
  ).toMatchObject({
    host: "x",
  });
  const list = await send(scene.cluster.kubeconfig, { method: "GET", path: path("v2") });
  expect(list.body).toMatchObject({ items: [{ apiVersion: "conv.example.com/v2", hostPort: "x" }] });
  const watch = await send(scene.cluster.kubeconfig, {
    method: "GET",
    path: `${path("v2")}?watch=1&timeoutSeconds=1`,
  });
  expect(watch.body).toMatchObject({ type: "ADDED", object: { hostPort: "x" } });
  expect(scene.calls[0]).toMatchObject({
    type: "conversion",
    configuration: "hosts.conv.example.com",
    resource: "hosts.conv.example.com",
    by: { user: "kubernetes-admin" },
    apiVersion: "conv.example.com/v1",
    objects: [{ hostPort: "x" }],
    converted: [{ host: "x" }],
  });

  scene.hooks.answers = { "/convert": () => ({ result: { status: "Failed", message: "no such host" } }) };
  const other = { ...body, metadata: { name: "b" } };
  expect((await send(scene.cluster.kubeconfig, { method: "POST", path: path("v2"), body: other })).code).toBe(
    500,
  );
  expect(scene.calls.at(-1)).toMatchObject({
    objects: [{ metadata: { name: "b" } }],
    failure: { reason: "Refused", message: expect.stringContaining("no such host") as string },
  });
});
