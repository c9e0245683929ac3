import { type Reconcile, type Sample, countUntil } from "../history.ts";
import { type Detector, type Finding, type FoundRequest, listed, span, times } from "./finding.ts";

/** Milliseconds for which the event loop may stand still. */
const limit = 200;

/** Operators load and compile much when they start. */
const loadTime = 3000;

/** So many reconciles are remembered, and so many blocks wait for reconciles that end later. */
const [mostReconciles, mostBlocks] = [2000, 20];

interface Block {
  readonly from: number;
  readonly until: number;
  /** The reconciles that ran during most of it. */
  readonly suspects: FoundRequest[];
}

/** Code that let nothing else run. */
export class BlockedLoopDetector implements Detector {
  readonly #blocks: Block[] = [];
  #reconciles: Reconcile[] = [];

  seeReconcile(reconcile: Reconcile): void {
    this.#reconciles.push(reconcile);
    if (this.#reconciles.length > 2 * mostReconciles)
      this.#reconciles = this.#reconciles.slice(-mostReconciles);
    for (const block of this.#blocks.slice(-mostBlocks)) suspect(block, reconcile);
  }

  seeSample({ since, blocked, blockedUntil: until }: Sample): void {
    if (until === undefined || blocked <= limit || until - since < loadTime) return;
    const block: Block = { from: until - blocked, until, suspects: [] };
    for (const reconcile of this.#reconciles) suspect(block, reconcile);
    this.#blocks.push(block);
  }

  found(): Finding[] {
    const byController = new Map<string | undefined, Block[]>();
    for (const block of this.#blocks) {
      const controller = block.suspects[0]?.controller;
      const known = byController.get(controller);
      if (known === undefined) byController.set(controller, [block]);
      else known.push(block);
    }
    return [...byController].map(([controller, blocks]) => {
      const longest = blocks.reduce((most, { from, until }) => Math.max(most, until - from), 0);
      const requests = usual(blocks);
      const [from, at] = [blocks[0]!.from, blocks.at(-1)!.until];
      const long =
        blocks.length === 1
          ? `for ${span(longest)}`
          : `${times(blocks.length)} in ${span(at - from)}, for up to ${span(longest)},`;
      const which = requests.map(({ request }) => request);
      return {
        kind: "blocked event loop",
        title:
          controller === undefined
            ? "The event loop is blocked outside of reconciles"
            : `${controller} blocks the event loop`,
        text:
          controller === undefined
            ? `Nothing in the operator could run ${long} while nothing was reconciled: look at webhooks, predicates, maps of events and scheduled work; compute in a worker thread, and wait with asynchronous functions`
            : `Nothing else in the operator could run ${long} while ${controller} reconciled ${listed(which)}: compute in a worker thread, and wait with asynchronous functions, not with those such as execSync`,
        from,
        at,
        places: [],
        requests,
      };
    });
  }
}

function suspect(block: Block, { controller, request, from, to, outcome }: Reconcile): void {
  const end = outcome === "unfinished" ? Infinity : to;
  const together = Math.min(end, block.until) - Math.max(from, block.from);
  if (together >= (block.until - block.from) / 2) block.suspects.push({ controller, request });
}

/** Who ran during at least half as many blocks as who ran during the most: several may run at once. */
function usual(blocks: readonly Block[]): FoundRequest[] {
  const counts = new Map<string, { readonly found: FoundRequest; count: number }>();
  for (const found of blocks.flatMap(({ suspects }) => suspects)) {
    const key = `${found.controller}\n${found.request}`;
    const counted = counts.get(key) ?? { found, count: 0 };
    counted.count++;
    counts.set(key, counted);
  }
  const sorted = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return sorted.filter(({ count }) => count * 2 >= sorted[0]!.count).map(({ found }) => found);
}

/** For so many milliseconds a queue must grow, by so many requests. */
const [stretch, least] = [120_000, 20];

interface GrowingQueue {
  readonly controller: string;
  readonly workers: number;
  readonly from: number;
  readonly first: number;
  at: number;
  last: number;
}

/** Controllers that get more to do than they do. */
export class GrowingQueueDetector implements Detector {
  readonly #levels = new Map<string, Level[]>();
  readonly #growing = new Map<string, GrowingQueue>();
  readonly #told: GrowingQueue[] = [];
  #since = Number.NaN;

  seeSample({ at, since, controllers }: Sample): void {
    if (since !== this.#since) this.#begin(since);
    for (const { controller, queued, workers } of controllers) {
      const levels = this.#levels.get(controller) ?? [];
      this.#levels.set(controller, levels);
      levels.push({ at, value: queued });
      dropOlder(levels, at, stretch);
      this.#judge(controller, workers, levels);
    }
  }

  /** What another process did is over. */
  #begin(since: number): void {
    this.#since = since;
    this.#told.push(...this.#growing.values());
    this.#levels.clear();
    this.#growing.clear();
  }

  #judge(controller: string, workers: number, levels: readonly Level[]): void {
    const { at, value } = levels.at(-1)!;
    const before = this.#growing.get(controller);
    // It was a lot at once, and is done with.
    if (before && value < before.last / 2) this.#growing.delete(controller);
    if ((steadyGrowth(levels, at - stretch, at, held) ?? 0) < least) return;
    const from = at - stretch;
    const begun = before ?? { controller, workers, from, first: held(levels, from) ?? 0 };
    this.#growing.set(controller, { ...begun, at, last: value });
  }

  found(): Finding[] {
    return [...this.#told, ...this.#growing.values()].map(
      ({ controller, workers, from, first, at, last }) => ({
        kind: "growing queue",
        title: `${controller} gets more to do than it does`,
        text: `${last} requests wait in the queue of ${controller}, ${span(at - from)} before it were ${first}, and it only grew: ${workers === 1 ? "let it reconcile more than one at once (maxConcurrentReconciles)" : `let it reconcile more than ${workers} at once (maxConcurrentReconciles)`}, have a reconcile take less time, or ask for fewer`,
        from,
        at,
        places: [],
        requests: [],
      }),
    );
  }
}

/** A number at a time in milliseconds. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** What a level is between two that are known; undefined before the first. Levels are in the order of time. */
type Between = (levels: readonly Level[], moment: number) => number | undefined;

/** What each quarter must add, as a part of the whole. */
const leastPart = 0.1;

/**
 * How much levels have grown in a stretch of time, if they only grew: the lowest level of each of its quarters is well
 * above that of the quarter before. Peaks that go away are no growth, and neither is what has come to an end.
 */
export function steadyGrowth(
  levels: readonly Level[],
  from: number,
  to: number,
  between: Between,
): number | undefined {
  const step = (to - from) / 4;
  const lows = [0, 1, 2, 3].map((quarter) =>
    lowest(levels, from + quarter * step, from + (quarter + 1) * step, between),
  );
  const growth = lows[3]! - lows[0]!;
  const isSteady = lows.every(
    (low, quarter) => quarter === 0 || low - lows[quarter - 1]! >= growth * leastPart,
  );
  return isSteady && growth > 0 ? growth : undefined;
}

/** A level holds until the next one. */
export const held: Between = (levels, moment) =>
  levels[countUntil(levels, ({ at }) => at <= moment) - 1]?.value;

/** A level moves evenly to the next one. */
export const even: Between = (levels, moment) => {
  const next = countUntil(levels, ({ at }) => at < moment);
  const [before, after] = [levels[next - 1], levels[next]];
  if (after === undefined || after.at === moment || before === undefined) {
    return after?.at === moment ? after.value : undefined;
  }
  return before.value + ((after.value - before.value) * (moment - before.at)) / (after.at - before.at);
};

/** Drops levels that no stretch of so many milliseconds needs that ends now or later, once they are more than the others. */
export function dropOlder(levels: Level[], now: number, stretch: number): void {
  const older = countUntil(levels, ({ at }) => at <= now - stretch);
  // What is left moves, so not each time.
  if (older - 1 > levels.length / 2) levels.splice(0, older - 1);
}

/** How many levels there are after a moment. */
export function countAfter(levels: readonly Level[], moment: number): number {
  return levels.length - countUntil(levels, ({ at }) => at <= moment);
}

/** NaN if the level at the beginning is not known, which is no growth to anything. */
function lowest(levels: readonly Level[], from: number, to: number, between: Between): number {
  let low = between(levels, from) ?? Number.NaN;
  const end = countUntil(levels, ({ at }) => at <= to);
  for (let index = countUntil(levels, ({ at }) => at <= from); index < end; index++)
    low = Math.min(low, levels[index]!.value);
  return low;
}

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

const [leastGrowth, leastPartOfMemory] = [16 * megabyte, 0.25];

/** What a cached object takes at the most, besides so many times the length of its JSON. */
const [bytesOfObject, timesLength] = [20_000, 4];

interface GrowingMemory {
  readonly from: number;
  readonly first: number;
  readonly at: number;
  readonly last: number;
}

/** What grows after each full garbage collection, and more than the cache does. */
export class GrowingMemoryDetector implements Detector {
  readonly #told: GrowingMemory[] = [];
  #growing: GrowingMemory | undefined;
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

  #grown(at: number, last: number): GrowingMemory | undefined {
    for (const stretch of stretches) {
      const from = at - stretch;
      const first = even(this.#kept, from);
      if (first === undefined || countAfter(this.#kept, from) < leastLevels) continue;
      const growth = steadyGrowth(this.#unexplained, from, at, even) ?? 0;
      if (growth >= Math.max(leastGrowth, first * leastPartOfMemory))
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
