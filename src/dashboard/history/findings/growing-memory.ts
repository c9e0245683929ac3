import type { Sample } from "../samples.ts";
import type { Detector, Finding } from "./finding.ts";
import { countAfter, dropOlder, even, type Level, steadyGrowth } from "./steady-growth.ts";
import { span } from "./words.ts";

const [minute, megabyte] = [60_000, 1024 * 1024];
/** In the first minute, an operator fills its cache and compiles. */
const startTime = minute;
/** Growth in one of these stretches is told, if it is so much and so large a part of what was there. */
const longest = 45 * minute;
const stretches = [longest, 15 * minute, 5 * minute];
/** It is judged at most once in so many milliseconds: there may be a garbage collection each second for hours. */
const pause = 10_000;
/** So many garbage collections must tell it. */
const leastLevels = 5;
const [leastGrowth, leastPart] = [16 * megabyte, 0.25];
/** What a cached object takes at the most, besides so many times the length of its JSON. */
const [bytesOfObject, timesLength] = [20_000, 4];

interface Growing {
  readonly from: number;
  readonly first: number;
  readonly at: number;
  readonly last: number;
}

/** What grows after each full garbage collection, and more than the cache does. */
export class GrowingMemoryDetector implements Detector {
  readonly #told: Growing[] = [];
  #growing: Growing | undefined;
  #since = Number.NaN;
  /** What was kept, and the same without what the cache may take. */
  #kept: Level[] = [];
  #unexplained: Level[] = [];
  #cached = 0;
  #judged = -Infinity;

  seeSample({ at, since, heapKept, cached, cachedBytes }: Sample): void {
    if (since !== this.#since) this.#begin(since);
    const objects = Object.values(cached).reduce((sum, count) => sum + count, 0);
    // Not less once the cache is smaller: what it leaves is collected later.
    this.#cached = Math.max(this.#cached, objects * bytesOfObject + cachedBytes * timesLength);
    if (heapKept === undefined || at - since < startTime || heapKept === this.#kept.at(-1)?.value) return;
    this.#kept.push({ at, value: heapKept });
    this.#unexplained.push({ at, value: heapKept - this.#cached });
    for (const levels of [this.#kept, this.#unexplained]) dropOlder(levels, at, longest);
    if (this.#growing && heapKept < this.#growing.last * 0.75) this.#growing = undefined;
    if (at - this.#judged < pause) return;
    this.#judged = at;
    this.#growing = this.#grown(at, heapKept) ?? this.#growing;
  }

  /** What another process did is over. */
  #begin(since: number): void {
    if (this.#growing) this.#told.push(this.#growing);
    [this.#growing, this.#since, this.#kept, this.#unexplained, this.#cached] = [undefined, since, [], [], 0];
  }

  #grown(at: number, last: number): Growing | undefined {
    for (const stretch of stretches) {
      const from = at - stretch;
      const first = even(this.#kept, from);
      if (first === undefined || countAfter(this.#kept, from) < leastLevels) continue;
      const growth = steadyGrowth(this.#unexplained, from, at, even) ?? 0;
      if (growth >= Math.max(leastGrowth, first * leastPart))
        return { from, first, ...this.#growing, at, last };
    }
    return undefined;
  }

  found(): Finding[] {
    return [...this.#told, ...(this.#growing ? [this.#growing] : [])].map(({ from, first, at, last }) => ({
      kind: "growing memory",
      title: "The operator's memory only grows",
      text: `What stays in the operator's memory after garbage collections grew from ${inMegabytes(first)} to ${inMegabytes(last)} in ${span(at - from)}, and not because of the cache: look for a Map, a list or listeners that reconciles add to and nothing removes from; tsbuilder dev --inspect lets a debugger take heap snapshots`,
      from,
      at,
      places: [],
      requests: [],
    }));
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / megabyte)} MB`;
}
