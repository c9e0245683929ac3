import { countUntil } from "../../../dev/record/count-until.ts";
import type { Sample } from "../../history/history.ts";
import { matcher } from "../texts.ts";

/** A line of a plot. */
export interface Series {
  readonly name: string;
  readonly value: (sample: Sample) => number;
}

/** Series of the same unit, drawn together. */
export interface Plot {
  readonly title: string;
  readonly series: readonly Series[];
  /** Formats a value with its unit. */
  readonly text: (value: number) => string;
}

/** Returns the plots of samples. */
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

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes < 100 * 1024 * 1024 ? 1 : 0)} MB`;
}

/** Describes a sample in words, for screen readers. */
export function wordsOf(plots: readonly Plot[], sample: Sample | undefined): string {
  if (sample === undefined) return "unknown";
  return plots
    .map(({ title, series, text }) => {
      const values = series.map(({ name, value }) => `${name} ${text(value(sample))}`);
      return `${title}: ${values.join(", ")}`;
    })
    .join("; ");
}

/** Returns the plots whose series match a filter. */
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

/** A stretch of time that is drawn on a number of pixels. */
interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** The end of the record: later pixels are empty. */
  readonly until: number;
}

/** Returns the highest value in the time of each pixel, so that no peak is lost; NaN where no sample is known. */
export function peaks(
  samples: readonly Sample[],
  value: (sample: Sample) => number,
  { from, to, width, until }: Drawn,
): number[] {
  const columns = Math.max(1, Math.floor(width));
  const step = (to - from) / columns;
  let next = countUntil(samples, ({ at }) => at < from);
  let last = next === 0 ? Number.NaN : value(samples[next - 1]!);
  return Array.from({ length: columns }, (_, column) => {
    if (from + column * step > until) return Number.NaN;
    const end = column === columns - 1 ? to : from + (column + 1) * step;
    let most = last;
    for (; next < samples.length && samples[next]!.at <= end; next++) {
      last = value(samples[next]!);
      most = Number.isNaN(most) ? last : Math.max(most, last);
    }
    return most;
  });
}

/** Returns the highest value of all lines, at least 1. */
export function mostOf(lines: readonly (readonly number[])[]): number {
  let most = 1;
  for (const line of lines) for (const value of line) if (value > most) most = value;
  return most;
}

/** Returns an SVG path through the values of pixels, as steps. */
export function pathOf(values: readonly number[], most: number, height: number): string {
  const path: string[] = [];
  let before = Number.NaN;
  let end = 0;
  for (const [x, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    end = x + 1;
    if (value === before) continue;
    const y = Math.round((height - (value / most) * height) * 10) / 10;
    path.push(Number.isNaN(before) ? `M${x} ${y}` : `H${x}V${y}`);
    before = value;
  }
  if (path.length > 0) path.push(`H${end}`);
  return path.join("");
}
