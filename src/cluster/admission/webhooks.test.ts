import { createCA } from "@tsbuilder/apimachinery/certs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startWebhookServer, type WebhookServer } from "../../../e2e/support/webhook-server.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

let hooks: WebhookServer;
let cluster: TestCluster;
beforeAll(async () => {
  hooks = await startWebhookServer();
  const { port } = hooks;
  cluster = await startTestCluster({
    resolveService: (_, name) => (name === "hook" ? { host: "127.0.0.1", port } : undefined),
  });
});
afterAll(async () => {
  await cluster.stop();
  hooks.stop();
});

const group = "/apis/admissionregistration.k8s.io/v1";
afterEach(async () => {
  for (const plural of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
    await send(cluster.kubeconfig, { method: "DELETE", path: `${group}/${plural}` });
  }
});

const rules = [
  { operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] },
];

async function configure(kind: "Mutating" | "Validating", name: string, webhook: object): Promise<void> {
  hooks.seen = [];
  const defaults = {
    name: `${name}.example.com`,
    clientConfig: { url: `${hooks.url}/${name}`, caBundle: hooks.caBundle },
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const path = `${group}/${kind.toLowerCase()}webhookconfigurations`;
  const { code } = await send(cluster.kubeconfig, {
    method: "POST",
    path,
    body: { metadata: { name }, webhooks: [{ ...defaults, ...webhook }] },
  });
  expect(code).toBe(201);
}

const create = (name: string, query = "", more: object = {}) =>
  send(cluster.kubeconfig, {
    method: "POST",
    path: `/api/v1/namespaces/default/configmaps${query}`,
    body: { metadata: { name, ...more } },
  });

const patchOf = (operations: object[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

test("a mutating webhook changes the object before it is stored", async () => {
  hooks.answers = { "/m": () => patchOf([{ op: "add", path: "/data", value: { from: "webhook" } }]) };
  await configure("Mutating", "m", {});
  expect((await create("mutated")).body).toMatchObject({ data: { from: "webhook" } });
});

test("webhooks run in the order of their configurations' names, and again after later changes if IfNeeded", async () => {
  hooks.answers = {
    "/a": ({ request }) =>
      patchOf([
        { op: "add", path: "/metadata/labels", value: { ...request.object.metadata.labels, a: "1" } },
      ]),
    "/b": ({ request }) =>
      patchOf([
        { op: "add", path: "/metadata/labels", value: { ...request.object.metadata.labels, b: "1" } },
      ]),
  };
  await configure("Mutating", "b", {});
  await configure("Mutating", "a", { reinvocationPolicy: "IfNeeded" });
  expect((await create("twice")).body).toMatchObject({ metadata: { labels: { a: "1", b: "1" } } });
  expect(hooks.seen).toEqual(["/a CREATE", "/b CREATE", "/a CREATE"]);
});

test("a validating webhook's denial has its message, code and warnings", async () => {
  hooks.answers = {
    "/v": () => ({ allowed: false, status: { code: 422, message: "not this one" }, warnings: ["beware"] }),
  };
  await configure("Validating", "v", {});
  const { code, body, headers } = await create("refused");
  expect(code).toBe(422);
  expect(body).toMatchObject({
    message: 'admission webhook "v.example.com" denied the request: not this one',
  });
  expect(headers["warning"]).toBe('299 - "beware"');
});

test("envtest's client configuration works: the serving certificate as CA bundle, a path with two slashes", async () => {
  hooks.answers = { "/own": () => ({ allowed: false, status: { message: "not this one" } }) };
  await configure("Validating", "own", {
    clientConfig: { url: `${hooks.url}//own/`, caBundle: hooks.certBundle },
  });
  expect((await create("refused")).body).toMatchObject({
    message: 'admission webhook "own.example.com" denied the request: not this one',
  });
});

test("a webhook whose certificate is not in the CA bundle is not called", async () => {
  const { cert } = createCA({ commonName: "another" });
  await configure("Validating", "strange", {
    clientConfig: { url: `${hooks.url}/own`, caBundle: Buffer.from(cert).toString("base64") },
  });
  expect((await create("unreached")).body).toMatchObject({ code: 500, reason: "InternalError" });
  expect(hooks.seen).toEqual([]);
});

test("a webhook that can't be reached fails the request, or is ignored", async () => {
  await configure("Validating", "gone", {
    clientConfig: { url: "https://127.0.0.1:1/gone", caBundle: hooks.caBundle },
  });
  expect((await create("unreachable")).body).toMatchObject({
    code: 500,
    reason: "InternalError",
    message: expect.stringMatching(
      /^Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https:\/\/127.0.0.1:1\/gone\?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused$/,
    ) as string,
  });
  await send(cluster.kubeconfig, { method: "DELETE", path: `${group}/validatingwebhookconfigurations` });
  await configure("Validating", "ignored", {
    clientConfig: { url: "https://127.0.0.1:1/gone", caBundle: hooks.caBundle },
    failurePolicy: "Ignore",
  });
  expect((await create("ignored")).code).toBe(201);
});

test("a denial without a code is a bad request, and keeps its details", async () => {
  const details = { causes: [{ reason: "FieldValueInvalid", field: "data", message: "no" }] };
  hooks.answers = { "/d": () => ({ allowed: false, status: { message: "not so", details } }) };
  await configure("Validating", "d", {});
  expect((await create("denied")).body).toMatchObject({
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
  hooks.answers = { "/n": () => answer };
  await configure("Mutating", "n", {});
  expect((await create("none")).body).toMatchObject({
    code: 500,
    message: `Internal error occurred: failed calling webhook "n.example.com": failed to call webhook: ${why}`,
  });
});

const replace = (path: string, value: unknown) => patchOf([{ op: "replace", path, value }]);
const encoded = (text: string) => ({
  ...patchOf([]),
  patch: Buffer.from(text).toString("base64"),
});
const undecodable =
  'Internal error occurred: failed calling webhook "o.example.com": received undecodable patch in webhook response: ';

test.each([
  ["null", encoded("null"), 201, undefined],
  [
    "an operation without a name",
    encoded("[null]"),
    500,
    "Internal error occurred: Unexpected kind: unknown",
  ],
  ["no JSON", encoded("{"), 500, `${undecodable}unexpected end of JSON input`],
  [
    "an object",
    encoded("{}"),
    500,
    `${undecodable}json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
  ],
  [
    "a number as operation",
    encoded("[1]"),
    500,
    `${undecodable}json: cannot unmarshal number into Go value of type jsonpatch.Operation`,
  ],
  [
    "of the kind",
    replace("/kind", "Secret"),
    500,
    "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
  ],
  [
    "of the version",
    replace("/apiVersion", "v2"),
    500,
    'Internal error occurred: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ["that removes the kind", patchOf([{ op: "remove", path: "/kind" }]), 201, undefined],
  [
    "that removes the metadata",
    patchOf([{ op: "remove", path: "/metadata" }]),
    422,
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    "that makes the metadata a number",
    replace("/metadata", 5),
    500,
    "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
  ],
])("a webhook's patch, %s, has the same effect as on a real server", async (_, answer, expected, message) => {
  hooks.answers = { "/o": () => answer };
  await configure("Mutating", "o", {});
  const { code, body } = await create("odd", "?dryRun=All");
  expect([code, (body as { message?: string }).message]).toEqual([expected, message]);
});

test("warnings of webhooks are in UTF-8, and those that are empty or have control characters are dropped", async () => {
  hooks.answers = { "/w": () => ({ allowed: true, warnings: ["", "a\nb", "a\u0085b", 'ä "☃"'] }) };
  await configure("Validating", "w", {});
  const { headers } = await create("warned", "?dryRun=All");
  expect(Buffer.from(headers["warning"] as string, "latin1").toString()).toBe('299 - "ä \\"☃\\""');
});

test("a validating webhook may not return a patch", async () => {
  hooks.answers = { "/p": () => patchOf([{ op: "add", path: "/data", value: {} }]) };
  await configure("Validating", "p", {});
  expect((await create("patched")).body).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: failed calling webhook "p.example.com": received invalid webhook response: validating webhook may not return response.patch',
  });
});

test("selectors and match conditions decide whether a webhook is called", async () => {
  hooks.answers = { "/s": () => ({ allowed: false }) };
  await configure("Validating", "s", {
    objectSelector: { matchLabels: { guarded: "yes" } },
    matchConditions: [{ name: "not-free", expression: "!object.metadata.name.startsWith('free')" }],
  });
  expect((await create("plain")).code).toBe(201);
  expect((await create("free-one", "", { labels: { guarded: "yes" } })).code).toBe(201);
  expect((await create("guarded", "", { labels: { guarded: "yes" } })).code).toBe(400);
});

test("a dry run calls only webhooks without side effects", async () => {
  hooks.answers = { "/d": ({ request }) => ({ allowed: request.dryRun === true }) };
  await configure("Validating", "d", {});
  expect((await create("dry", "?dryRun=All")).code).toBe(201);
  // As stored before v1: today's API refuses webhooks with unknown side effects.
  const { store } = cluster.core;
  const configurations = store.collection("validatingwebhookconfigurations.admissionregistration.k8s.io");
  const { key, object } = configurations.get("d")!;
  const { webhooks } = object as unknown as { webhooks: [object] };
  store.put(configurations, key, {
    ...object,
    webhooks: [{ ...webhooks[0], sideEffects: "Unknown" }],
  });
  expect((await create("dry", "?dryRun=All")).body).toMatchObject({
    code: 400,
    message: 'admission webhook "d.example.com" does not support dry run',
  });
});

test("a Service resolves to a local process", async () => {
  hooks.answers = { "/svc": () => ({ allowed: false, status: { message: "through the service" } }) };
  await configure("Validating", "svc", {
    clientConfig: { service: { namespace: "default", name: "hook", path: "/svc" }, caBundle: hooks.caBundle },
  });
  expect((await create("by-service")).body).toMatchObject({
    message: expect.stringContaining("through the service") as string,
  });
});

test("a conversion webhook serves a CRD in both its versions", async () => {
  hooks.seen = [];
  hooks.answers = {
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
  await cluster.installCRDs({
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
          clientConfig: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle },
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
  expect((await send(cluster.kubeconfig, { method: "POST", path: path("v2"), body })).body).toMatchObject({
    hostPort: "x",
  });
  expect((await send(cluster.kubeconfig, { method: "GET", path: `${path("v1")}/a` })).body).toMatchObject({
    host: "x",
  });
  const list = await send(cluster.kubeconfig, { method: "GET", path: path("v2") });
  expect(list.body).toMatchObject({ items: [{ apiVersion: "conv.example.com/v2", hostPort: "x" }] });
  const watch = await send(cluster.kubeconfig, {
    method: "GET",
    path: `${path("v2")}?watch=1&timeoutSeconds=1`,
  });
  expect(watch.body).toMatchObject({ type: "ADDED", object: { hostPort: "x" } });
});
