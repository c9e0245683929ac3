// Prometheus' text format, read back: so that OpenMetrics and OpenTelemetry get the same series as Prometheus does, whoever
// wrote them: the runtime, the conditions of objects, or the operator with prom-client.

/** A family of series: a metric's name, type and samples. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

/** A sample. A histogram's name ends in `_bucket`, `_sum` or `_count`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
  /** As it was written. */
  readonly series: string;
}

/** Parses what `RuntimeMetrics.text` writes; lines that are no samples, types or helps are left out. */
export function parsePrometheusText(text: string): MetricFamily[] {
  const families: MetricFamily[] = [];
  let help = "";
  for (const line of text.split("\n")) {
    const comment = /^# (?<word>HELP|TYPE) (?<name>\S+) ?(?<rest>.*)$/u.exec(line)?.groups;
    if (comment?.["word"] === "HELP") help = comment["rest"]!;
    else if (comment) {
      families.push({ name: comment["name"]!, help, type: comment["rest"]!, samples: [] });
      help = "";
    } else {
      const sample = parseSample(line);
      if (sample) families.at(-1)?.samples.push(sample);
    }
  }
  return families;
}

function parseSample(line: string): Sample | undefined {
  const parts = /^(?<series>(?<name>[^\s#{]+)(?:\{(?<labels>.*)\})?) (?<value>\S+)$/u.exec(line)?.groups;
  if (!parts) return undefined;
  const labels: Record<string, string> = {};
  for (const [, label, content] of (parts["labels"] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu))
    labels[label!] = content!.replaceAll(/\\(.)/gu, (_, escaped: string) =>
      escaped === "n" ? "\n" : escaped,
    );
  return { name: parts["name"]!, labels, value: parts["value"]!, series: parts["series"]! };
}

/** Returns the labels of a sample but for its bucket, as a key. */
export function keyOfLabels(labels: Readonly<Record<string, string>>): string {
  const others = Object.entries(labels).filter(([name]) => name !== "le");
  return JSON.stringify(others.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
