import type { Sample } from "../history/samples.ts";
import { matcher } from "./matcher.ts";
import { megabytes } from "./times.ts";

/** A line of a plot. */
export interface Series {
  readonly name: string;
  readonly value: (sample: Sample) => number;
}

/** Numbers of one kind, drawn together. */
export interface Plot {
  readonly title: string;
  readonly series: readonly Series[];
  /** A number with its unit. */
  readonly text: (value: number) => string;
}

/** What is drawn of samples. */
export function plotsOf(samples: readonly Sample[]): Plot[] {
  const controllers = new Set(
    samples.flatMap((sample) => sample.controllers.map(({ controller }) => controller)),
  );
  const byController = (number: "queued" | "active") =>
    [...controllers].map((name): Series => ({
      name,
      value: (sample) => sample.controllers.find(({ controller }) => controller === name)?.[number] ?? 0,
    }));
  return [
    { title: "Waiting in the queue", series: byController("queued"), text: String },
    { title: "Reconciles that run", series: byController("active"), text: String },
    { title: "Cached objects", series: [{ name: "objects", value: cachedObjects }], text: String },
    {
      title: "Event loop",
      series: [{ name: "blocked", value: ({ blocked }) => blocked }],
      text: (value) => `${value} ms`,
    },
    {
      title: "Memory",
      series: [
        { name: "resident", value: ({ resident }) => resident },
        { name: "heap", value: ({ heap }) => heap },
      ],
      text: megabytes,
    },
  ];
}

/** What plots tell of a sample, in words. */
export function wordsOf(plots: readonly Plot[], sample: Sample | undefined): string {
  if (sample === undefined) return "unknown";
  return plots
    .map(({ title, series, text }) => {
      const values = series.map(({ name, value }) => `${name} ${text(value(sample))}`);
      return `${title}: ${values.join(", ")}`;
    })
    .join("; ");
}

/** Those with the words of the filter. */
export function filteredPlots(plots: readonly Plot[], filter: string): Plot[] {
  const matches = matcher(filter);
  return plots
    .map((plot) => ({
      ...plot,
      series: plot.series.filter(({ name }) => matches(`${plot.title} ${name}`)),
    }))
    .filter(({ series }) => series.length > 0);
}

function cachedObjects({ cached }: Sample): number {
  return Object.values(cached).reduce((sum, count) => sum + count, 0);
}
