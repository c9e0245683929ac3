import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

interface Review {
  request: {
    uid: string;
    operation: string;
    name?: string;
    dryRun?: boolean;
    object: { metadata: { name: string; labels?: Record<string, string> } };
    desiredAPIVersion?: string;
    objects?: Array<{ apiVersion: string }>;
  };
}

const ca = createCA({ commonName: "webhooks" });
const serving = issueCertificate(ca, {
  ipAddresses: ["127.0.0.1"],
  dnsNames: ["hook.default.svc"],
  usages: ["server"],
});
const base64 = (pem: string) => Buffer.from(pem).toString("base64");
const caBundle = base64(ca.cert);
let server: Server;
let url: string;
/** The webhook's responses by path; the uid is added to them. */
let answers: Record<string, (review: Review) => object>;
let seen: string[];

let cluster: TestCluster;
beforeAll(async () => {
  server = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url!.split("?")[0]!;
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Review;
      seen.push(`${path} ${review.request.operation}`);
      const type =
        path === "/convert"
          ? { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }
          : { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      const body = { ...type, response: { uid: review.request.uid, ...answers[path]!(review) } };
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  url = `https://127.0.0.1:${port}`;
  cluster = await startTestCluster({
    resolveService: (_, name) => (name === "hook" ? { host: "127.0.0.1", port } : undefined),
  });
});
afterAll(async () => {
  await cluster.stop();
  server.close();
  server.closeAllConnections();
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
  seen = [];
  const defaults = {
    name: `${name}.example.com`,
    clientConfig: { url: `${url}/${name}`, caBundle },
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
  answers = { "/m": () => patchOf([{ op: "add", path: "/data", value: { from: "webhook" } }]) };
  await configure("Mutating", "m", {});
  expect((await create("mutated")).body).toMatchObject({ data: { from: "webhook" } });
});

test("webhooks run in the order of their configurations' names, and again after later changes if IfNeeded", async () => {
  answers = {
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
  expect(seen).toEqual(["/a CREATE", "/b CREATE", "/a CREATE"]);
});

test("a validating webhook's denial has its message, code and warnings", async () => {
  answers = {
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
  answers = { "/own": () => ({ allowed: false, status: { message: "not this one" } }) };
  await configure("Validating", "own", {
    clientConfig: { url: `${url}//own/`, caBundle: base64(serving.cert) },
  });
  expect((await create("refused")).body).toMatchObject({
    message: 'admission webhook "own.example.com" denied the request: not this one',
  });
});

test("a webhook whose certificate is not in the CA bundle is not called", async () => {
  const { cert } = createCA({ commonName: "another" });
  await configure("Validating", "strange", { clientConfig: { url: `${url}/own`, caBundle: base64(cert) } });
  expect((await create("unreached")).body).toMatchObject({ code: 500, reason: "InternalError" });
  expect(seen).toEqual([]);
});

test("a webhook that can't be reached fails the request, or is ignored", async () => {
  await configure("Validating", "gone", { clientConfig: { url: "https://127.0.0.1:1/gone", caBundle } });
  expect((await create("unreachable")).body).toMatchObject({
    code: 500,
    reason: "InternalError",
    message: expect.stringMatching(
      /^Internal error occurred: failed calling webhook "gone.example.com": failed to call webhook: Post "https:\/\/127.0.0.1:1\/gone\?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused$/,
    ) as string,
  });
  await send(cluster.kubeconfig, { method: "DELETE", path: `${group}/validatingwebhookconfigurations` });
  await configure("Validating", "ignored", {
    clientConfig: { url: "https://127.0.0.1:1/gone", caBundle },
    failurePolicy: "Ignore",
  });
  expect((await create("ignored")).code).toBe(201);
});

test("a denial without a code is a bad request, and keeps its details", async () => {
  const details = { causes: [{ reason: "FieldValueInvalid", field: "data", message: "no" }] };
  answers = { "/d": () => ({ allowed: false, status: { message: "not so", details } }) };
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
  answers = { "/n": () => answer };
  await configure("Mutating", "n", {});
  expect((await create("none")).body).toMatchObject({
    code: 500,
    message: `Internal error occurred: failed calling webhook "n.example.com": failed to call webhook: ${why}`,
  });
});

test("a validating webhook may not return a patch", async () => {
  answers = { "/p": () => patchOf([{ op: "add", path: "/data", value: {} }]) };
  await configure("Validating", "p", {});
  expect((await create("patched")).body).toMatchObject({
    code: 500,
    message:
      'Internal error occurred: failed calling webhook "p.example.com": received invalid webhook response: validating webhook may not return response.patch',
  });
});

test("selectors and match conditions decide whether a webhook is called", async () => {
  answers = { "/s": () => ({ allowed: false }) };
  await configure("Validating", "s", {
    objectSelector: { matchLabels: { guarded: "yes" } },
    matchConditions: [{ name: "not-free", expression: "!object.metadata.name.startsWith('free')" }],
  });
  expect((await create("plain")).code).toBe(201);
  expect((await create("free-one", "", { labels: { guarded: "yes" } })).code).toBe(201);
  expect((await create("guarded", "", { labels: { guarded: "yes" } })).code).toBe(400);
});

test("a dry run calls only webhooks without side effects", async () => {
  answers = { "/d": ({ request }) => ({ allowed: request.dryRun === true }) };
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
  answers = { "/svc": () => ({ allowed: false, status: { message: "through the service" } }) };
  await configure("Validating", "svc", {
    clientConfig: { service: { namespace: "default", name: "hook", path: "/svc" }, caBundle },
  });
  expect((await create("by-service")).body).toMatchObject({
    message: expect.stringContaining("through the service") as string,
  });
});

test("a conversion webhook serves a CRD in both its versions", async () => {
  seen = [];
  answers = {
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
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: `${url}/convert`, caBundle } },
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
