import { type Attributes, context, propagation, SpanKind, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { settled } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import { Widget } from "../../../e2e/support/runtime/widget-kinds.ts";
import { startTracing, tracingApi } from "./opentelemetry-api.ts";
import { becauseOf, noteAdmission, noteCause } from "./span-causes.ts";
import { traceReconcile, traceRequests, traceWebhook } from "./tracing.ts";

/** Registers an SDK, and returns the spans that end. */
async function registerSdk(): Promise<InMemorySpanExporter> {
  const spans = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
  onTestFinished(() => {
    for (const part of [trace, context, propagation]) part.disable();
  });
  await startTracing();
  return spans;
}

const describe =
  (fields: object = {}, report: (error: Error) => void = () => {}) =>
  () => ({
    controller: "widget",
    request: "default/a",
    fields: () => fields as Attributes,
    waited: 250,
    report,
  });

test("without an SDK nothing is loaded, and the work still runs", async () => {
  await startTracing();
  expect(tracingApi()).toBeUndefined();
  expect(await traceReconcile(describe(), async (trace) => ({ result: typeof trace }))).toEqual({
    result: "undefined",
  });
});

test("a reconcile is a span with its fields, its time in the queue, its result and its failure", async () => {
  const spans = await registerSdk();
  const fields = { name: "a", namespace: "default", Widget: { name: "a" }, cluster: undefined };
  await traceReconcile(describe(fields), async (fields) => {
    expect(fields).toEqual({ traceID: trace.getActiveSpan()?.spanContext().traceId });
    return { result: "error", error: new TypeError("no luck") };
  });
  const refusal = new ApiError(
    { code: 422, reason: "Invalid", message: 'data: Invalid value: "hunter2"' },
    { request: "PATCH /api/v1/namespaces/default/secrets/a" },
  );
  await traceReconcile(describe(), async () => ({ result: "error", error: refusal }));
  const [failed, refused] = spans.getFinishedSpans();
  expect(failed).toMatchObject({
    name: "reconcile widget",
    status: { code: 2, message: "no luck" },
    events: [{ name: "exception", attributes: { "exception.message": "no luck" } }],
  });
  expect(failed!.attributes).toEqual({
    controller: "widget",
    name: "a",
    namespace: "default",
    "k8s.namespace.name": "default",
    causes: [],
    queueSeconds: 0.25,
    result: "error",
    "error.type": "TypeError",
  });
  expect(failed!.parentSpanContext).toBeUndefined();
  expect(refused!.status.message).toBe("PATCH /api/v1/namespaces/default/secrets/a: Invalid");
  expect(JSON.stringify([refused!.status, refused!.attributes, refused!.events])).not.toContain("hunter2");
});

test("a reconcile continues the trace of an admitted request, and is linked to this operator's own write", async () => {
  const spans = await registerSdk();
  const object = (resourceVersion: string, name = "a") => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { namespace: "default", name, uid: "u", resourceVersion },
  });
  const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
  const kind = { group: "example.com", kind: "Widget" };
  const admit = (name: string, isAllowed: boolean, dryRun = false) =>
    traceWebhook({ path: "/validate", headers }, async () => {
      noteAdmission(
        { kind, namespace: "default", name, dryRun },
        () => ({ user: "kim", webhook: "/validate" }),
        isAllowed,
      );
      return { status: 200 };
    });
  await admit("a", true);
  await admit("denied", false);
  await admit("dry", true, true);
  const write = { status: 200, headers: {}, text: JSON.stringify(object("7")), stream: undefined };
  await traceRequests(async () => ({ server: "https://[::1]:6443" }))(
    { method: "PUT", path: "/apis/example.com/v1/namespaces/default/widgets/a/status" },
    async () => write,
  );
  const causeOf = (version: string, name = "a") =>
    becauseOf(Widget, { object: object(version, name) }, () =>
      noteCause("widget", "default/a", () => `update ${version}`),
    );
  for (const name of ["denied", "dry"]) causeOf("5", name);
  causeOf("7");
  causeOf("6");
  causeOf("8");
  await traceReconcile(describe(), async () => ({ result: "success" }));
  const [call, , , request, reconcile] = spans.getFinishedSpans();
  expect(call).toMatchObject({
    name: "POST /validate",
    kind: SpanKind.SERVER,
    parentSpanContext: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" },
  });
  expect(call!.attributes).toEqual({
    "http.request.method": "POST",
    "http.route": "/validate",
    "http.response.status_code": 200,
    webhook: "/validate",
    allowed: true,
    "k8s.namespace.name": "default",
  });
  expect(reconcile!.parentSpanContext).toEqual(call!.spanContext());
  expect(reconcile!.links).toMatchObject([
    { context: request!.spanContext(), attributes: { cause: "update 7" } },
  ]);
  expect(reconcile!.attributes["causes"]).toEqual([
    "update 5",
    "update 5",
    "update 7",
    "update 6",
    "update 8",
  ]);
});

test("a request is a span of the code that sends it, without its query and body, and sends its context", async () => {
  const spans = await registerSdk();
  const send = traceRequests(async () => ({ server: "https://cluster.example.com" }));
  const sent: string[] = [];
  const answer = async ({ headers }: RawRequest): Promise<RawResponse> => {
    sent.push((headers as { readonly traceparent: string }).traceparent);
    return { status: 200, headers: {}, text: "no JSON", stream: undefined };
  };
  const conflict = new ApiError({ code: 409, reason: "Conflict", message: "changed" }, { request: "PUT /x" });
  await traceReconcile(describe(), async () => {
    const path = "/api/v1/namespaces/default/pods/db-0/exec";
    await send({ method: "POST", path, query: { command: ["mysql", "-phunter2"] }, body: "hunter3" }, answer);
    for (const other of [
      "/apis/apps/v1/deployments",
      "/api/v1/namespaces/a",
      "/api/v1/namespaces/a/status",
      "/version",
    ])
      await send<RawRequest, RawResponse>({ path: other }, answer);
    await send({ method: "PUT", path }, () => Promise.reject(conflict)).catch(() => {});
    await send({ path }, () => Promise.reject(new Error("stopped"))).catch(() => {});
    return { result: "success" };
  });
  const requests = spans.getFinishedSpans().slice(0, -1);
  const reconcile = spans.getFinishedSpans().at(-1)!;
  expect(requests.map(({ name }) => name)).toEqual([
    "POST /api/v1/namespaces/{namespace}/pods/{name}/exec",
    "GET /apis/apps/v1/deployments",
    "GET /api/v1/namespaces/{name}",
    "GET /api/v1/namespaces/{name}/status",
    "GET /version",
    "PUT /api/v1/namespaces/{namespace}/pods/{name}/exec",
    "GET /api/v1/namespaces/{namespace}/pods/{name}/exec",
  ]);
  for (const { kind, parentSpanContext } of requests)
    expect([kind, parentSpanContext]).toEqual([SpanKind.CLIENT, reconcile.spanContext()]);
  const { traceId, spanId } = requests[0]!.spanContext();
  expect(sent[0]).toBe(`00-${traceId}-${spanId}-01`);
  expect(requests[0]!.attributes).toEqual({
    "http.request.method": "POST",
    "url.template": "/api/v1/namespaces/{namespace}/pods/{name}/exec",
    "url.path": "/api/v1/namespaces/default/pods/db-0/exec",
    "server.address": "cluster.example.com",
    "server.port": 443,
    "k8s.namespace.name": "default",
    "http.response.status_code": 200,
  });
  expect(requests[5]).toMatchObject({
    attributes: { "http.response.status_code": 409, "error.type": "409" },
    status: { code: 2, message: "PUT /x: Conflict" },
  });
  expect(requests[6]).toMatchObject({
    attributes: { "error.type": "Error" },
    status: { message: "stopped" },
  });
});

test.each<[string, { startSpan: () => unknown }]>([
  [
    "when it begins a span",
    {
      startSpan() {
        throw new Error("the tracer is broken");
      },
    },
  ],
  [
    "when a span ends",
    {
      startSpan: () => ({
        spanContext: () => ({ traceId: "t" }),
        setAttribute() {},
        end() {
          throw new Error("the tracer is broken");
        },
      }),
    },
  ],
])("what a tracer throws %s is reported, and the work is done", async (_, tracer) => {
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  onTestFinished(() => trace.disable());
  await startTracing();
  const done: string[] = [];
  const report = ({ message }: Error) => void done.push(message);
  await traceReconcile(describe({}, report), async () => {
    await settled();
    done.push("the work");
    return { result: "success" };
  });
  expect(done.sort()).toEqual(["the tracer is broken", "the work"]);
});
