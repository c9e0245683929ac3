import { context, propagation, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { Counter, Histogram, Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { startTracing } from "../tracing/opentelemetry-api.ts";
import { Exemplars } from "./exemplars.ts";

test("a bucket has the trace of the value that fell into it last, in OpenMetrics", async () => {
  new NodeTracerProvider().register();
  onTestFinished(() => {
    for (const part of [trace, context, propagation]) part.disable();
  });
  await startTracing();
  const registry = new Registry();
  const registers = [registry];
  const histogram = new Histogram({
    name: "time_seconds",
    help: "A time.",
    buckets: [1, 5],
    labelNames: ["verb"],
    registers,
  });
  new Counter({ name: "calls_total", help: "Calls.", registers }).inc();
  new Counter({ name: "odd", help: "A counter by another name.", registers }).inc();
  const exemplars = new Exemplars();
  exemplars.define("time_seconds", [1, 5]);
  const measure = (value: number) =>
    trace.getTracer("test").startActiveSpan("work", (span) => {
      histogram.observe({ verb: "GET" }, value);
      exemplars.note("time_seconds", { verb: "GET" }, value);
      const { traceId, spanId } = span.spanContext();
      return `# {trace_id="${traceId}",span_id="${spanId}"} ${value} `;
    });
  measure(2);
  const [second, unlimited] = [measure(3), measure(9)];
  trace.disable();
  new NodeTracerProvider({ sampler: new AlwaysOffSampler() }).register();
  measure(4);
  const lines = exemplars.openMetrics(await registry.metrics()).split("\n");
  expect(
    lines.map((line) =>
      line.replace(/ \d+\.?\d*$/u, line.includes("#") && !line.startsWith("#") ? " AT" : "$&"),
    ),
  ).toEqual([
    "# HELP time_seconds A time.",
    "# TYPE time_seconds histogram",
    'time_seconds_bucket{le="1",verb="GET"} 0',
    `time_seconds_bucket{le="5",verb="GET"} 3 ${second}AT`,
    `time_seconds_bucket{le="+Inf",verb="GET"} 4 ${unlimited}AT`,
    'time_seconds_sum{verb="GET"} 18',
    'time_seconds_count{verb="GET"} 4',
    "# HELP calls Calls.",
    "# TYPE calls counter",
    "calls_total 1",
    "# HELP odd A counter by another name.",
    "# TYPE odd unknown",
    "odd 1",
    "# EOF",
    "",
  ]);
});
