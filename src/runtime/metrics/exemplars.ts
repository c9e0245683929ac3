// Exemplars: for each bucket of a histogram, the trace of a value that fell into it. They are kept only while the process
// traces, and served in OpenMetrics, since Prometheus' own text format has no place for them.

import { sampledSpan } from "../tracing/opentelemetry-api.ts";
import { keyOfLabels, type MetricFamily, parsePrometheusText, type Sample } from "./prometheus-text.ts";

/** The media type of OpenMetrics. */
export const openMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

interface Exemplar {
  readonly trace_id: string;
  readonly span_id: string;
  readonly value: number;
  /** Seconds since 1970. */
  readonly at: number;
}

/** The exemplars of all histograms. */
export class Exemplars {
  /** The upper bounds of the buckets, by histogram. */
  readonly #bounds = new Map<string, readonly number[]>();
  /** By histogram and labels, and then by the upper bound of the bucket. */
  readonly #last = new Map<string, Map<number, Exemplar>>();

  define(histogram: string, bounds: readonly number[]): void {
    this.#bounds.set(histogram, bounds);
  }

  /** Remembers the running span, if it is sampled, as an example of a value. */
  note(histogram: string, labels: Readonly<Record<string, string>>, value: number): void {
    const span = sampledSpan();
    if (!span) return;
    const bound = this.#bounds.get(histogram)?.find((upper) => value <= upper) ?? Infinity;
    const key = histogram + keyOfLabels(labels);
    let buckets = this.#last.get(key);
    if (!buckets) this.#last.set(key, (buckets = new Map()));
    buckets.set(bound, { ...span, value, at: Date.now() / 1000 });
  }

  /** Returns Prometheus' text as OpenMetrics, with the exemplars. */
  openMetrics(text: string): string {
    const lines = parsePrometheusText(text).flatMap((family) => this.#linesOf(family));
    return `${lines.join("\n")}\n# EOF\n`;
  }

  #linesOf({ name, help, type, samples }: MetricFamily): string[] {
    // A counter's name ends in `_total`, its family's does not; one with another name is no counter here.
    const isCounter = type === "counter" && name.endsWith("_total");
    const family = isCounter ? name.slice(0, -"_total".length) : name;
    return [
      `# HELP ${family} ${help.replaceAll('"', '\\"')}`,
      `# TYPE ${family} ${type === "counter" && !isCounter ? "unknown" : type}`,
      ...samples.map((sample) => `${sample.series} ${sample.value}${this.#exemplarOf(name, sample)}`),
    ];
  }

  #exemplarOf(histogram: string, { labels }: Sample): string {
    if (labels["le"] === undefined) return "";
    const bound = labels["le"] === "+Inf" ? Infinity : Number(labels["le"]);
    const found = this.#last.get(histogram + keyOfLabels(labels))?.get(bound);
    return found
      ? ` # {trace_id="${found.trace_id}",span_id="${found.span_id}"} ${found.value} ${found.at}`
      : "";
  }
}
