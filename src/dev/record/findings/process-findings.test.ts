import { expect, test } from "vitest";
import type { RecordedSample, Recorded } from "../recorded.ts";
import { find, madeReconcile, madeSample, megabyte, timeOf } from "../testdata/made-records.ts";

const titles = (recorded: readonly Recorded[]): string[] => find(recorded).map(({ title }) => title);

/** Makes a sample after a block of half a second. */
const blocked = (until: number, milliseconds = 500) =>
  madeSample(until + 300, { blocked: milliseconds, blockedUntil: timeOf(until) });

test("a reconcile that blocks the event loop is named, whether it ends before the sample or after it", () => {
  const before = [madeReconcile(9000, { seconds: 0.01 }), madeReconcile(9490, { seconds: 0.52 })];
  const after = madeReconcile(19_400, { request: "default/other", seconds: 2 });
  expect(find([...before, blocked(10_000), blocked(20_000, 600), after])).toEqual([
    {
      kind: "blocked event loop",
      title: "mysql blocks the event loop",
      text: "Nothing else in the operator could run twice in 11 s, for up to 600 ms, while mysql reconciled default/db and default/other: compute in a worker thread, and wait with asynchronous functions, not with those such as execSync",
      from: 9500,
      at: 20_000,
      places: [],
      requests: [
        { controller: "mysql", request: "default/db" },
        { controller: "mysql", request: "default/other" },
      ],
    },
  ]);
});

test("of those that run at once, the one that runs each time is named", () => {
  const recorded = [10_000, 20_000, 30_000].flatMap((until, index) => [
    madeReconcile(until - 600, { seconds: 0.7 }),
    madeReconcile(until - 600, { seconds: 0.7, request: `default/${index}` }),
    blocked(until),
  ]);
  expect(find(recorded).map(({ requests }) => requests)).toEqual([
    [{ controller: "mysql", request: "default/db" }],
  ]);
});

test("a block without a reconcile is one of something else, and a reconcile that did not end is suspected", () => {
  expect(titles([madeReconcile(9000), blocked(10_000)])).toEqual([
    "The event loop is blocked outside of reconciles",
  ]);
  const cutOff = madeReconcile(9400, { outcome: "unfinished", seconds: undefined });
  expect(titles([blocked(10_000), cutOff])).toEqual(["mysql blocks the event loop"]);
});

test("short blocks, and those while the operator starts, are no finding", () => {
  expect(titles([blocked(10_000, 200), blocked(2900)])).toEqual([]);
});

/** Makes samples at an interval. */
const each = (
  count: number,
  seconds: number,
  numbers: (index: number) => Partial<RecordedSample>,
): RecordedSample[] =>
  Array.from({ length: count }, (_, index) => madeSample(index * seconds * 1000, numbers(index)));

const queued = (value: number, workers = 1): Partial<RecordedSample> => ({
  controllers: [{ controller: "mysql", queued: value, active: workers, workers }],
});

test("a queue that only grows for two minutes is a finding, with its duration and growth", () => {
  const growing = (count: number) => each(count, 1, (index) => queued(5 + Math.floor(index / 2)));
  expect(titles(growing(120))).toEqual([]);
  expect(find(growing(181))).toMatchObject([
    {
      title: "mysql gets more to do than it does",
      text: "95 requests wait in the queue of mysql, 3 min before it were 5, and it only grew: let it reconcile more than one at once (maxConcurrentReconciles), have a reconcile take less time, or ask for fewer",
      from: 0,
      at: 180_000,
    },
  ]);
});

test("much to do at once, a little more each time, and a queue that is done in the end are no finding", () => {
  expect(titles(each(300, 1, (index) => queued(Math.max(0, 1000 - index * 5))))).toEqual([]);
  expect(titles(each(300, 1, (index) => queued(Math.floor(index / 20))))).toEqual([]);
  expect(titles(each(600, 1, (index) => queued(index < 300 ? index : 600 - index)))).toEqual([]);
});

test("a queue that grew until the operator started again is a finding", () => {
  const growing = each(200, 1, (index) => queued(index));
  const again = madeSample(201_000, { since: timeOf(200_500) });
  expect(titles([...growing, again])).toEqual(["mysql gets more to do than it does"]);
});

const kept = (megabytes: number, more: Partial<RecordedSample> = {}): Partial<RecordedSample> => ({
  heapKept: megabytes * megabyte,
  ...more,
});

test("memory that grows after each full garbage collection is a finding after some minutes", () => {
  const leaking = (count: number) => each(count, 20, (index) => kept(20 + index * 2));
  expect(titles(leaking(18))).toEqual([]);
  expect(find(leaking(31))).toMatchObject([
    {
      kind: "growing memory",
      title: "The operator's memory only grows",
      text: expect.stringContaining("grew from 26 MB to 80 MB in 9 min, and not because of the cache"),
    },
  ]);
});

test("memory that grows with a garbage collection each second is a finding", () => {
  const leaking = each(601, 1, (index) => kept(20 + index / 10));
  expect(find(leaking)).toMatchObject([{ title: "The operator's memory only grows", at: 600_000 }]);
});

test("memory that grows slowly is a finding, too", () => {
  expect(titles(each(60, 60, (index) => kept(40 + index)))).toEqual(["The operator's memory only grows"]);
});

test.each<[string, (index: number) => Partial<RecordedSample>]>([
  ["goes up and down", (index) => kept(index % 2 === 0 ? 30 : 60)],
  ["grows until everything is known", (index) => kept(Math.min(20 + index * 3, 70))],
  ["grows, and is collected after a while", (index) => kept(20 + (index % 12) * 5)],
  ["is never collected", (index) => ({ heap: (20 + index * 2) * megabyte })],
  [
    "grows with the cache",
    (index) => kept(20 + index * 2, { cached: { Pod: index * 200 }, cachedBytes: index * 700_000 }),
  ],
])("memory that %s is no finding", (_, numbers) => {
  expect(titles(each(180, 20, numbers))).toEqual([]);
});

test("memory that grew until the operator started again is a finding", () => {
  const leaking = each(60, 20, (index) => kept(20 + index * 2));
  const again = madeSample(1_300_000, { since: timeOf(1_250_000) });
  expect(titles([...leaking, again])).toEqual(["The operator's memory only grows"]);
});
