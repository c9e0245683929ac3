// The metrics of a manager as OpenTelemetry's data: the same series that Prometheus reads.

import type { Attributes, HrTime } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type * as MetricsSdk from "@opentelemetry/sdk-metrics";
import type {
  AggregationTemporality,
  DataPoint,
  MetricData,
  MetricProducer,
} from "@opentelemetry/sdk-metrics";
import {
  keyOfLabels,
  type MetricFamily,
  parsePrometheusText,
  type Sample,
} from "../metrics/prometheus-text.ts";

type Sdk = typeof MetricsSdk;
type ValueType = MetricData["descriptor"]["valueType"];

/** Returns a source of metrics for a reader of OpenTelemetry's SDK. */
export function metricProducer(sdk: Sdk, resource: Resource, text: () => Promise<string>): MetricProducer {
  const startTime = timeOf(Date.now());
  return {
    async collect() {
      const times = { startTime, endTime: timeOf(Date.now()) };
      const metrics = parsePrometheusText(await text()).flatMap((family) => {
        const data = toMetricData(sdk, family, times);
        return data && data.dataPoints.length > 0 ? [data] : [];
      });
      const scopeMetrics = [{ scope: { name: "@tsbuilder/runtime" }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
}

type Times = Pick<DataPoint<unknown>, "startTime" | "endTime">;

function timeOf(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1000), Math.round((milliseconds % 1000) * 1e6)];
}

/** Returns undefined for a type that OpenTelemetry has no data for, such as a summary. */
function toMetricData({ DataPointType }: Sdk, family: MetricFamily, times: Times): MetricData | undefined {
  const { name, help, type, samples } = family;
  const unit = /_seconds(?:_total)?$/u.test(name) ? "s" : /_bytes(?:_total)?$/u.test(name) ? "By" : "";
  // Values may be fractions: DOUBLE is 1, cumulative temporality is 1.
  const descriptor = { name, description: help, unit, valueType: 1 as ValueType };
  const base = { descriptor, aggregationTemporality: 1 as AggregationTemporality };
  // JSON has no infinity, with which Prometheus says that there is no limit.
  const numbers = (): DataPoint<number>[] =>
    samples
      .filter(({ value }) => Number.isFinite(Number(value)))
      .map(({ labels, value }) => ({ ...times, attributes: labels, value: Number(value) }));
  switch (type) {
    case "counter":
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() };
    case "gauge":
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: numbers() };
    case "histogram":
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(samples, times) };
    default:
      return undefined;
  }
}

function histogramPoints(samples: readonly Sample[], times: Times) {
  const bySeries = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = keyOfLabels(sample.labels);
    bySeries.set(key, [...(bySeries.get(key) ?? []), sample]);
  }
  return [...bySeries.values()].map((series) => {
    const { le: _, ...attributes } = series[0]!.labels as Attributes;
    const buckets = series.filter(({ name }) => name.endsWith("_bucket"));
    const valueOf = (suffix: string): number =>
      Number(series.find(({ name }) => name.endsWith(suffix))?.value ?? 0);
    // Prometheus' buckets include all smaller ones; the last has no upper bound.
    const sums = buckets.map(({ value }) => Number(value));
    const counts = sums.map((sum, at) => sum - (sums[at - 1] ?? 0));
    const boundaries = buckets.slice(0, -1).map(({ labels }) => Number(labels["le"]));
    const value = { buckets: { boundaries, counts }, sum: valueOf("_sum"), count: valueOf("_count") };
    return { ...times, attributes, value };
  });
}
