import { type Span, type SpanOptions, trace, type Tracer } from "@opentelemetry/api";
import { settled } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { Tracing } from "./tracing.ts";

/** A minimal SDK that records what its spans received. */
function registerSdk() {
  const told: object[] = [];
  const tracer = {
    startActiveSpan: (name: string, options: SpanOptions, run: unknown) => {
      const span: { name: string; attributes: object; [fact: string]: unknown } = {
        name,
        attributes: { ...options.attributes },
      };
      told.push(span);
      const recorder = {
        spanContext: () => ({ traceId: "t-1", spanId: "s-1", traceFlags: 1 }),
        setAttribute: (key: string, value: unknown) => Object.assign(span.attributes, { [key]: value }),
        recordException: (error: Error) => (span["exception"] = error.message),
        setStatus: (status: object) => (span["status"] = status),
        end: () => (span["ended"] = true),
      };
      return (run as (span: Span) => never)(recorder as unknown as Span);
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer });
  onTestFinished(() => trace.disable());
  return told;
}

test("with a registered SDK a reconcile is a span with its fields, its result and its failure", async () => {
  const told = registerSdk();
  const tracing = new Tracing();
  await tracing.start();
  const fields = { controller: "mysql", name: "db", MySQL: { name: "db" }, namespace: undefined };
  await tracing.run(
    "reconcile mysql",
    () => fields,
    async (trace) => {
      expect(trace).toEqual({ traceID: "t-1" });
      return { result: "error", error: new Error("no luck") };
    },
  );
  await tracing.run(
    "reconcile mysql",
    () => ({}),
    async () => ({ result: "success" }),
  );
  expect(told).toEqual([
    {
      name: "reconcile mysql",
      attributes: { controller: "mysql", name: "db", result: "error" },
      exception: "no luck",
      status: { code: 2, message: "no luck" },
      ended: true,
    },
    { name: "reconcile mysql", attributes: { result: "success" }, ended: true },
  ]);
});

test.each<[string, (run: (span: Span) => unknown, span: Span) => unknown]>([
  ["after it began the work", (run, span) => run(span)],
  ["before it began the work", () => undefined],
])("what a tracer throws %s is thrown when the work is done", async (_, begin) => {
  const span = { spanContext: () => ({ traceId: "t-1" }), setAttribute() {}, end() {} } as unknown as Span;
  const tracer = {
    startActiveSpan: (_name: string, _options: SpanOptions, run: (span: Span) => unknown) => {
      begin(run, span);
      throw new Error("the tracer is broken");
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as unknown as Tracer });
  onTestFinished(() => trace.disable());
  const tracing = new Tracing();
  await tracing.start();
  const done: string[] = [];
  const run = tracing.run(
    "reconcile mysql",
    () => ({}),
    async () => {
      await settled();
      done.push("the work");
      return { result: "success" };
    },
  );
  await run.catch(({ message }: Error) => done.push(message));
  expect(done).toEqual(["the work", "the tracer is broken"]);
});

test("without an SDK nothing is traced, and the work still runs", async () => {
  const tracing = new Tracing();
  let runs = 0;
  await tracing.run(
    "reconcile",
    () => ({}),
    async (trace) => {
      expect(trace).toBeUndefined();
      runs++;
      return { result: "success" };
    },
  );
  expect(runs).toBe(1);
});
