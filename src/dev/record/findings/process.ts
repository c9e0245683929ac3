import { countUntil } from "../count-until.ts";
import type { Reconcile, Sample } from "../timed.ts";
import { type Detector, type Found, type FoundRequest, groupBy, listed, span, times } from "./finding.ts";

/** The time in milliseconds for which the event loop may be blocked. */
const mostBlocked = 200;

/** The time in milliseconds after a start that is ignored: operators load and compile code then. */
const loadTime = 3000;

/** The number of reconciles that are remembered, and of blocks that are compared with reconciles that end later. */
const [mostReconciles, mostBlocks] = [2000, 20];

interface Block {
  readonly from: number;
  readonly until: number;
  /** The requests whose reconciles ran during at least half of it. */
  readonly suspects: FoundRequest[];
}

/** Finds code that blocks the event loop. */
export class BlockedLoopDetector implements Detector {
  readonly #blocks: Block[] = [];
  #reconciles: Reconcile[] = [];

  seeReconcile(reconcile: Reconcile): void {
    this.#reconciles.push(reconcile);
    if (this.#reconciles.length > 2 * mostReconciles)
      this.#reconciles = this.#reconciles.slice(-mostReconciles);
    for (const block of this.#blocks.slice(-mostBlocks)) addSuspect(block, reconcile);
  }

  seeSample({ since, blocked, blockedUntil: until }: Sample): void {
    if (until === undefined || blocked <= mostBlocked || until - since < loadTime) return;
    const block: Block = { from: until - blocked, until, suspects: [] };
    for (const reconcile of this.#reconciles) addSuspect(block, reconcile);
    this.#blocks.push(block);
  }

  found(): Found[] {
    const byController = groupBy(this.#blocks, ({ suspects }) => suspects[0]?.controller);
    return [...byController].map(([controller, blocks]) => {
      const longest = blocks.reduce((most, { from, until }) => Math.max(most, until - from), 0);
      const requests = mostFrequentSuspects(blocks);
      const [from, at] = [blocks[0]!.from, blocks.at(-1)!.until];
      const duration =
        blocks.length === 1
          ? `for ${span(longest)}`
          : `${times(blocks.length)} in ${span(at - from)}, for up to ${span(longest)},`;
      const requestNames = requests.map(({ request }) => request);
      return {
        kind: "blocked event loop",
        title:
          controller === undefined
            ? "The event loop is blocked outside of reconciles"
            : `${controller} blocks the event loop`,
        text:
          controller === undefined
            ? `Nothing in the operator could run ${duration} while nothing was reconciled: look at webhooks, predicates, maps of events and scheduled work; compute in a worker thread, and wait with asynchronous functions`
            : `Nothing else in the operator could run ${duration} while ${controller} reconciled ${listed(requestNames)}: compute in a worker thread, and wait with asynchronous functions, not with those such as execSync`,
        from,
        at,
        requests,
      };
    });
  }
}

function addSuspect(block: Block, { controller, request, from, to, outcome }: Reconcile): void {
  const end = outcome === "unfinished" ? Infinity : to;
  const overlap = Math.min(end, block.until) - Math.max(from, block.from);
  if (overlap >= (block.until - block.from) / 2) block.suspects.push({ controller, request });
}

/** Returns the requests with at least half as many blocks as the one with the most: several may have run at once. */
function mostFrequentSuspects(blocks: readonly Block[]): FoundRequest[] {
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

/** The time in milliseconds for which a queue must grow, and the number of requests by which it must. */
const [stretch, least] = [120_000, 20];

interface GrowingQueue {
  readonly controller: string;
  readonly workers: number;
  readonly from: number;
  readonly first: number;
  at: number;
  last: number;
}

/** Finds controllers whose queue only grows. */
export class GrowingQueueDetector implements Detector {
  readonly #levels = new Map<string, Level[]>();
  readonly #growing = new Map<string, GrowingQueue>();
  readonly #ended: GrowingQueue[] = [];
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

  /** Closes the findings of the process before. */
  #begin(since: number): void {
    this.#since = since;
    this.#ended.push(...this.#growing.values());
    this.#levels.clear();
    this.#growing.clear();
  }

  #judge(controller: string, workers: number, levels: readonly Level[]): void {
    const { at, value } = levels.at(-1)!;
    const before = this.#growing.get(controller);
    // The queue was long for a while, and was worked off.
    if (before && value < before.last / 2) this.#growing.delete(controller);
    if ((steadyGrowth(levels, at - stretch, at, holdLevel) ?? 0) < least) return;
    const from = at - stretch;
    const begun = before ?? { controller, workers, from, first: holdLevel(levels, from) ?? 0 };
    this.#growing.set(controller, { ...begun, at, last: value });
  }

  found(): Found[] {
    return [...this.#ended, ...this.#growing.values()].map(
      ({ controller, workers, from, first, at, last }) => ({
        kind: "growing queue",
        title: `${controller} gets more to do than it does`,
        text: `${last} requests wait in the queue of ${controller}, ${span(at - from)} before it were ${first}, and it only grew: ${workers === 1 ? "let it reconcile more than one at once (maxConcurrentReconciles)" : `let it reconcile more than ${workers} at once (maxConcurrentReconciles)`}, have a reconcile take less time, or ask for fewer`,
        from,
        at,
      }),
    );
  }
}

const [minute, megabyte] = [60_000, 1024 * 1024];

/** The stretches of time in which growth is looked for, the longest first. */
const stretches = [45 * minute, 15 * minute, 5 * minute] as const;

/** The time after a start that is ignored: an operator fills its cache and compiles code then. */
const startTime = minute;

/** The time in milliseconds between two judgements: there may be a garbage collection each second for hours. */
const judgePause = 10_000;

/** The number of garbage collections that must show the growth. */
const leastLevels = 5;

/** The bytes, and the part of the memory at the beginning, by which memory must grow. */
const [leastGrowth, leastPartOfMemory] = [16 * megabyte, 0.25];

/** The memory that a cached object takes at most: these bytes, and a multiple of the length of its JSON. */
const [bytesOfObject, timesLength] = [20_000, 4];

interface GrowingMemory {
  readonly from: number;
  readonly first: number;
  readonly at: number;
  readonly last: number;
}

/** Finds memory that grows from one full garbage collection to the next, more than the cache explains. */
export class GrowingMemoryDetector implements Detector {
  readonly #ended: GrowingMemory[] = [];
  #growing: GrowingMemory | undefined;
  #since = Number.NaN;
  /** The memory after each garbage collection, and the same without what the cache may take. */
  #kept: Level[] = [];
  #unexplained: Level[] = [];
  #cached = 0;
  #judged = -Infinity;

  seeSample({ at, since, heapKept, cached, cachedBytes }: Sample): void {
    if (since !== this.#since) this.#begin(since);
    const objects = Object.values(cached).reduce((sum, count) => sum + count, 0);
    // The estimate never shrinks: objects that leave the cache are collected later.
    this.#cached = Math.max(this.#cached, objects * bytesOfObject + cachedBytes * timesLength);
    if (heapKept === undefined || at - since < startTime || heapKept === this.#kept.at(-1)?.value) return;
    this.#kept.push({ at, value: heapKept });
    this.#unexplained.push({ at, value: heapKept - this.#cached });
    for (const levels of [this.#kept, this.#unexplained]) dropOlder(levels, at, stretches[0]);
    if (this.#growing && heapKept < this.#growing.last * 0.75) this.#growing = undefined;
    if (at - this.#judged < judgePause) return;
    this.#judged = at;
    this.#growing = this.#grown(at, heapKept) ?? this.#growing;
  }

  /** Closes the findings of the process before. */
  #begin(since: number): void {
    if (this.#growing) this.#ended.push(this.#growing);
    [this.#growing, this.#since, this.#kept, this.#unexplained, this.#cached] = [undefined, since, [], [], 0];
  }

  #grown(at: number, last: number): GrowingMemory | undefined {
    for (const stretch of stretches) {
      const from = at - stretch;
      const first = interpolate(this.#kept, from);
      if (first === undefined || countLevelsAfter(this.#kept, from) < leastLevels) continue;
      const growth = steadyGrowth(this.#unexplained, from, at, interpolate) ?? 0;
      if (growth >= Math.max(leastGrowth, first * leastPartOfMemory))
        return { from, first, ...this.#growing, at, last };
    }
    return undefined;
  }

  found(): Found[] {
    return [...this.#ended, ...(this.#growing ? [this.#growing] : [])].map(({ from, first, at, last }) => ({
      kind: "growing memory",
      title: "The operator's memory only grows",
      text: `What stays in the operator's memory after garbage collections grew from ${inMegabytes(first)} to ${inMegabytes(last)} in ${span(at - from)}, and not because of the cache: look for a Map, a list or listeners that reconciles add to and nothing removes from; tsbuilder dev --inspect lets a debugger take heap snapshots`,
      from,
      at,
    }));
  }
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / megabyte)} MB`;
}

/** A measured number and its time in milliseconds. */
export interface Level {
  readonly at: number;
  readonly value: number;
}

/** Returns the level at a moment, from levels in the order of time; undefined if it is unknown. */
type LevelAt = (levels: readonly Level[], moment: number) => number | undefined;

/** The part of the whole growth that each quarter must contribute. */
const leastQuarterShare = 0.1;

/**
 * Returns the growth of levels in a stretch of time; undefined unless the lowest level of each quarter is well above the
 * lowest level of the quarter before. So peaks that go away, and growth that has ended, do not count.
 */
export function steadyGrowth(
  levels: readonly Level[],
  from: number,
  to: number,
  levelAt: LevelAt,
): number | undefined {
  const step = (to - from) / 4;
  const lows = [0, 1, 2, 3].map((quarter) =>
    lowestLevel(levels, from + quarter * step, from + (quarter + 1) * step, levelAt),
  );
  const growth = lows[3]! - lows[0]!;
  const isSteady = lows.every(
    (low, quarter) => quarter === 0 || low - lows[quarter - 1]! >= growth * leastQuarterShare,
  );
  return isSteady && growth > 0 ? growth : undefined;
}

/** Holds a level until the next one. */
export const holdLevel: LevelAt = (levels, moment) =>
  levels[countUntil(levels, ({ at }) => at <= moment) - 1]?.value;

/** Interpolates between two levels. */
export const interpolate: LevelAt = (levels, moment) => {
  const next = countUntil(levels, ({ at }) => at < moment);
  const [before, after] = [levels[next - 1], levels[next]];
  if (after === undefined || after.at === moment || before === undefined) {
    return after?.at === moment ? after.value : undefined;
  }
  return before.value + ((after.value - before.value) * (moment - before.at)) / (after.at - before.at);
};

/** Drops levels that no stretch of this length up to now needs, once they are more than half: dropping moves the others. */
export function dropOlder(levels: Level[], now: number, stretch: number): void {
  const older = countUntil(levels, ({ at }) => at <= now - stretch);
  if (older - 1 > levels.length / 2) levels.splice(0, older - 1);
}

/** Returns the number of levels after a moment. */
export function countLevelsAfter(levels: readonly Level[], moment: number): number {
  return levels.length - countUntil(levels, ({ at }) => at <= moment);
}

/** Returns the lowest level; NaN, which compares as no growth, if the level at the beginning is unknown. */
function lowestLevel(levels: readonly Level[], from: number, to: number, levelAt: LevelAt): number {
  let low = levelAt(levels, from) ?? Number.NaN;
  const end = countUntil(levels, ({ at }) => at <= to);
  for (let index = countUntil(levels, ({ at }) => at <= from); index < end; index++)
    low = Math.min(low, levels[index]!.value);
  return low;
}
