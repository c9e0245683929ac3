import { expect, test } from "vitest";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { type LogLine, startStringController } from "../../../e2e/support/runtime/string-controller.ts";
import { ApiError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { currentCallContext } from "../scope/scope.ts";
import { ControllerEngine } from "./controller.ts";

test("a key never runs concurrently with itself, and maxConcurrentReconciles limits the others", async () => {
  const running = new Map<string, number>();
  const ends: (() => void)[] = [];
  let most = 0;
  const { add, clock, engine, finish } = await startStringController(
    async (request) => {
      running.set(request, (running.get(request) ?? 0) + 1);
      expect(running.get(request)).toBe(1);
      most = Math.max(most, running.size);
      await new Promise<void>((resolve) => ends.push(resolve));
      running.delete(request);
    },
    { maxConcurrentReconciles: 3 },
  );
  for (let round = 0; round < 5; round++) for (const key of ["a", "b", "c", "d", "e"]) add(key);
  await clock.advance(0);
  expect(engine.active).toBe(3);
  expect(engine.depth).toBe(2);
  add("a");
  for (let turn = 0; turn < 20; turn++) {
    ends.splice(0).forEach((end) => end());
    await clock.advance(0);
  }
  expect(most).toBe(3);
  expect(engine.depth).toBe(0);
  await finish();
});

/** How long each turn of the event loop takes, by the clock that a controller's reconciles move, until the test ends. */
function measureTurns(clock: FakeClock): { readonly longest: () => number; readonly end: () => void } {
  let last = clock.monotonic();
  let longest = 0;
  let isOver = false;
  const turn = (): void => {
    longest = Math.max(longest, clock.monotonic() - last);
    last = clock.monotonic();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return { longest: () => longest, end: () => void (isOver = true) };
}

test.each([
  ["no await", 1, 0],
  ["no await", 10, 0],
  ["one await", 1, 1],
  ["one await", 10, 1],
  ["many awaits", 1, 40],
  ["many awaits", 10, 40],
])(
  "the event loop has a turn after each slice of reconciles with %s, with %i workers",
  async (_name, maxConcurrentReconciles, awaits) => {
    let reconciled = 0;
    const { add, clock, engine, finish } = await startStringController(
      async () => {
        for (let step = 0; step < awaits; step++) {
          clock.advanceSync(2 / (awaits + 1));
          await Promise.resolve();
        }
        clock.advanceSync(2 / (awaits + 1));
        reconciled++;
      },
      { maxConcurrentReconciles },
    );
    const turns = measureTurns(clock);
    for (let index = 0; index < 200; index++) add(`r${index}`);
    while (engine.depth + engine.active > 0) await new Promise(setImmediate);
    turns.end();
    expect(reconciled).toBe(200);
    // A slice of 5 ms, and what the last reconcile of it takes.
    expect(turns.longest()).toBeLessThanOrEqual(7);
    await finish();
  },
);

test("requests with a higher priority run first, and keep it through retries", async () => {
  const seen: string[] = [];
  let isFirst = true;
  const { add, clock, finish } = await startStringController((request) => {
    seen.push(request);
    if (request === "urgent" && isFirst) {
      isFirst = false;
      throw new ApiError({ code: 409, reason: "Conflict" });
    }
  });
  add("old1", { priority: -100 });
  add("old2", { priority: -100 });
  add("new");
  add("urgent", { priority: 5 });
  await clock.advance(5);
  expect(seen).toEqual(["urgent", "new", "old1", "old2", "urgent"]);
  await finish();
});

test("a reconcile that exceeds its timeout has its signal aborted, is counted and retried", async () => {
  let runs = 0;
  const { add, clock, results, finish } = await startStringController(
    (_request, { signal }) => {
      expect(currentCallContext()?.signal).toBe(signal);
      if (++runs > 1) return;
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
    { reconcileTimeout: 1000 },
  );
  add("a");
  await clock.advance(1005);
  expect(results).toEqual(["!timeout", "error", "!error", "success"]);
  await finish();
});

test("a reconcile that hangs is logged repeatedly", async () => {
  const { add, clock, lines, stop, deadline, end } = await startStringController(
    () => new Promise(() => {}),
    {
      stuckAfter: 60_000,
    },
  );
  add("a");
  await clock.advance(180_000);
  const told = lines.filter(({ msg }) => msg === "Reconcile is still running");
  expect(told.map(({ seconds }) => seconds)).toEqual([60, 120, 180]);
  expect(told[0]).toMatchObject({ name: "a", reconcileID: expect.any(String) as string });
  stop.abort();
  deadline.abort();
  expect(await Promise.race([end.then(() => "ended"), clock.advance(0).then(() => "left behind")])).toBe(
    "left behind",
  );
});

test("stopping waits for running reconciles, starts no new ones, and aborts signals at the deadline", async () => {
  const seen: string[] = [];
  const { add, clock, stop, deadline, end } = await startStringController(async (request, { signal }) => {
    seen.push(request);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  add("a");
  add("b");
  await clock.advance(0);
  let hasEnded = false;
  void end.then(() => (hasEnded = true));
  stop.abort();
  add("c");
  await clock.advance(10_000);
  expect(hasEnded).toBe(false);
  deadline.abort(new Error("time is over"));
  await end;
  expect(seen).toEqual(["a"]);
});

test("log lines of a reconcile name its request, even from other loggers and after an await", async () => {
  const other: LogLine[] = [];
  const library = createLogger({ write: (line) => void other.push(JSON.parse(line) as LogLine) });
  const { add, clock, lines, finish } = await startStringController(async (request, { log }) => {
    log.info("Ours", { step: 1 });
    await Promise.resolve();
    library.info("Theirs");
    if (request === "a") add("b");
  });
  add("a");
  await clock.advance(0);
  expect(lines.find(({ msg }) => msg === "Ours")).toMatchObject({ name: "a", step: 1 });
  expect(other.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(other[0]!["reconcileID"]).not.toBe(other[1]!["reconcileID"]);
  await finish();
});

test("before the lease is held, only sources with beforeLease start", async () => {
  const started: string[] = [];
  const source = (name: string, beforeLease?: boolean) => ({
    name,
    beforeLease,
    start: () => void started.push(name),
  });
  const engine = new ControllerEngine<string>({
    name: "warm",
    keyOf: (request) => request,
    describe: (name) => ({ name }),
    sources: [source("queue"), source("watch", true)],
    reconciler: { reconcile() {} },
    maxConcurrentReconciles: 1,
    reconcileTimeout: undefined,
    stuckAfter: 300_000,
    cacheSyncTimeout: 120_000,
    backoff: { base: 5, max: 1_000_000 },
    log: createLogger({ write() {} }),
    events: { normal() {}, warning() {} },
  });
  const stop = new AbortController();
  await engine.warmUp(stop.signal);
  expect(started).toEqual(["watch"]);
  await engine.ready(stop.signal);
  expect(started).toEqual(["watch", "queue"]);
});
