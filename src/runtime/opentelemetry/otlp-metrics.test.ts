import { defaultResource } from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-metrics";
import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import { expect, test } from "vitest";
import { metricProducer } from "./otlp-metrics.ts";

test("what prom-client measures is told in OpenTelemetry's words", async () => {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["way"];
  const wait = { name: "wait_seconds", help: "How long it waits.", buckets: [0.1, 1], labelNames, registers };
  const histogram = new Histogram(wait);
  for (const value of [0.05, 0.5, 0.7, 7]) histogram.observe({ way: 'a "b"\\c' }, value);
  histogram.observe({ way: "other" }, 2);
  new Counter({ name: "sent_bytes_total", help: "Bytes.", registers }).inc(3);
  new Gauge({ name: "depth", help: "Depth.", registers, labelNames }).set({ way: "up" }, 4.5);
  new Gauge({ name: "unlimited", help: "Left out.", registers }).set(Infinity);
  new Gauge({ name: "empty", help: "Nothing.", registers, labelNames }).reset();
  new Summary({ name: "summary", help: "Left out.", registers }).observe(1);
  const { resourceMetrics } = await metricProducer(sdk, defaultResource(), () =>
    registry.metrics(),
  ).collect();
  const told = resourceMetrics.scopeMetrics[0]!.metrics.map(({ descriptor, dataPointType, dataPoints }) => ({
    name: descriptor.name,
    description: descriptor.description,
    unit: descriptor.unit,
    type: sdk.DataPointType[dataPointType],
    points: dataPoints.map(({ attributes, value }) => [attributes, value]),
  }));
  expect(told).toEqual([
    {
      name: "wait_seconds",
      description: "How long it waits.",
      unit: "s",
      type: "HISTOGRAM",
      points: [
        [{ way: 'a "b"\\c' }, { buckets: { boundaries: [0.1, 1], counts: [1, 2, 1] }, sum: 8.25, count: 4 }],
        [{ way: "other" }, { buckets: { boundaries: [0.1, 1], counts: [0, 0, 1] }, sum: 2, count: 1 }],
      ],
    },
    { name: "sent_bytes_total", description: "Bytes.", unit: "By", type: "SUM", points: [[{}, 3]] },
    { name: "depth", description: "Depth.", unit: "", type: "GAUGE", points: [[{ way: "up" }, 4.5]] },
  ]);
});
