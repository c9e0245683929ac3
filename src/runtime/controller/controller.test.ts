import { describe, expect, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { currentCallContext } from "../scope/call-context.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { createLogger } from "../log/create-logger.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { ControllerEngine } from "./controller.ts";
import type { ControllerSpec } from "./controller-spec.ts";
import type { Context, Result } from "./reconciler.ts";
import type { Enqueue } from "./source.ts";

type Reconcile = (request: string, context: Context) => Promise<Result> | Result;
type Line = { level: string; msg: string } & { [field: string]: unknown };

/** Runs a controller whose requests are strings, on a clock that the test moves. */
async function startController(reconcile: Reconcile, overrides: Partial<ControllerSpec<string>> = {}) {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const log = createLogger({
    level: "debug",
    clock,
    write: (line) => void lines.push(JSON.parse(line) as Line),
  });
  let enqueue: Enqueue<string> = () => {};
  const results: string[] = [];
  const engine = new ControllerEngine<string>({
    name: "test",
    keyOf: (request) => request,
    describe: (name) => ({ name }),
    sources: [{ name: "source", start: (add) => void (enqueue = add) }],
    reconciler: { reconcile },
    maxConcurrentReconciles: 1,
    reconcileTimeout: undefined,
    stuckAfter: 300_000,
    cacheSyncTimeout: 120_000,
    backoff: { base: 5, max: 1_000_000 },
    log,
    events: { normal() {}, warning() {} },
    clock,
    ...overrides,
  });
  engine.observe({
    reconciled: (result) => void results.push(result),
    failed: (kind) => void results.push(`!${kind}`),
    added() {},
    retried() {},
    taken() {},
    finished() {},
  });
  const stop = new AbortController();
  const deadline = new AbortController();
  const end = engine.run(stop.signal, deadline.signal);
  await clock.advance(0);
  return {
    engine,
    clock,
    lines,
    results,
    add: (request: string, options?: Parameters<Enqueue<string>>[1]) => enqueue(request, options),
    stop,
    deadline,
    end,
    finish: () => {
      stop.abort();
      return end;
    },
  };
}

const conflict = () => new ApiError({ code: 409, reason: "Conflict", message: "changed" });

describe("how a reconcile ends", () => {
  test("a reconcile that returns nothing doesn't run again until its request is added again", async () => {
    const seen: string[] = [];
    const { add, clock, results, finish } = await startController((request) => void seen.push(request));
    add("a");
    await clock.advance(3_600_000);
    add("a");
    await clock.advance(0);
    expect(seen).toEqual(["a", "a"]);
    expect(results).toEqual(["success", "success"]);
    await finish();
  });

  test("a reconcile that returns requeueAfter runs again after that time, or earlier if its request is added", async () => {
    const at: number[] = [];
    const { add, clock, finish } = await startController(() => {
      at.push(clock.monotonic());
      return { requeueAfter: "30s" };
    });
    add("a");
    await clock.advance(30_000);
    await clock.advance(5000);
    add("a");
    await clock.advance(29_999);
    expect(at).toEqual([0, 30_000, 35_000]);
    await finish();
  });

  test.each(["0s", "-1m"] as const)(
    "a reconcile that returns requeueAfter %s runs again with the delays of an error, and a line says so",
    async (requeueAfter) => {
      const at: number[] = [];
      const { add, clock, lines, results, finish } = await startController(() => {
        at.push(clock.monotonic());
        return at.length < 4 ? { requeueAfter } : undefined;
      });
      add("a");
      await clock.advance(1000);
      expect(at).toEqual([0, 5, 15, 35]);
      expect(results).toEqual(["requeue", "requeue", "requeue", "success"]);
      const warnings = lines.filter(({ level }) => level === "warn");
      expect(warnings).toHaveLength(3);
      expect(warnings[0]).toMatchObject({ name: "a", requeueAfter });
      await finish();
    },
  );

  test("a reconcile that throws runs again after 5 ms, doubling, and is logged with its stack", async () => {
    const at: number[] = [];
    const { add, clock, lines, results, finish } = await startController(() => {
      at.push(clock.monotonic());
      if (at.length < 5) throw new Error("no luck");
    });
    add("a");
    await clock.advance(10_000);
    expect(at).toEqual([0, 5, 15, 35, 75]);
    expect(results.filter((result) => result === "!error")).toHaveLength(4);
    expect(lines.find(({ msg }) => msg === "Reconciler error")).toMatchObject({
      level: "error",
      name: "a",
      error: "no luck",
      stacktrace: expect.stringContaining("no luck") as string,
    });
    await finish();
  });

  test("a conflict is retried and logged at debug level only", async () => {
    let runs = 0;
    const { add, clock, lines, results, finish } = await startController(() => {
      if (++runs === 1) throw conflict();
    });
    add("a");
    await clock.advance(5);
    expect(results).toEqual(["requeue", "success"]);
    expect(lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
    await finish();
  });

  test("conflicts without end are logged and counted from the eleventh on", async () => {
    let runs = 0;
    const { add, clock, lines, results, finish } = await startController(() => {
      if (++runs <= 12) throw conflict();
    });
    add("a");
    await clock.advance(60_000);
    expect(runs).toBe(13);
    const warnings = lines.filter(({ level }) => level === "warn");
    expect(warnings).toMatchObject([
      { name: "a", retries: 11, error: "changed" },
      { name: "a", retries: 12, error: "changed" },
    ]);
    expect(results.filter((result) => result === "!error")).toHaveLength(2);
    await finish();
  });

  test("a conflict of field managers is an error in log and metrics, and retried", async () => {
    const causes = [
      { reason: "FieldManagerConflict", message: 'conflict with "other"', field: ".spec.size" },
    ];
    const message = 'Apply failed with 1 conflict: conflict with "other": .spec.size';
    let runs = 0;
    const { add, clock, lines, results, finish } = await startController(() => {
      if (++runs < 3) throw new ApiError({ code: 409, reason: "Conflict", message, details: { causes } });
    });
    add("a");
    await clock.advance(15);
    expect(results).toEqual(["error", "!error", "error", "!error", "success"]);
    expect(lines.filter(({ level }) => level === "error")).toMatchObject([
      { msg: "Reconciler error", name: "a", error: message },
      { msg: "Reconciler error", name: "a", error: message },
    ]);
    await finish();
  });

  test("a TerminalError is not retried until the next change", async () => {
    let runs = 0;
    const { add, clock, results, finish } = await startController(() => {
      runs++;
      throw new TerminalError("never");
    });
    add("a");
    await clock.advance(100_000);
    expect(runs).toBe(1);
    add("a");
    await clock.advance(0);
    expect(runs).toBe(2);
    expect(results).toContain("!terminal");
    await finish();
  });

  test.each([
    ["a string", () => Promise.reject("words"), /not an Error: "words"/],
    ["undefined", () => Promise.reject(undefined), /not an Error: undefined/],
    [
      "something cyclic",
      () => Promise.reject(Object.assign({}, { self: globalThis })),
      /not an Error: object/,
    ],
    ["a sync TypeError", () => (undefined as unknown as { x: () => never }).x(), /Cannot read/],
    ["a wrong duration", () => ({ requeueAfter: "soon" }), /requeueAfter is "soon"/],
    ["NaN as the priority", () => ({ requeueAfter: "1s", priority: NaN }), /priority is NaN/],
  ])("%s fails the reconcile, which is retried", async (_name, reconcile: () => unknown, message) => {
    let runs = 0;
    const { add, clock, lines, results, finish } = await startController((request) => {
      if (request === "good") return;
      runs++;
      return reconcile() as Result;
    });
    add("bad");
    add("good");
    await clock.advance(5);
    expect(runs).toBe(2);
    expect(results).toContain("success");
    expect(lines.find(({ msg }) => msg === "Reconciler error")?.["error"]).toMatch(message);
    await finish();
  });
});

describe("concurrency and order", () => {
  test("a key never runs concurrently with itself, and maxConcurrentReconciles limits the others", async () => {
    const running = new Map<string, number>();
    const ends: (() => void)[] = [];
    let most = 0;
    const { add, clock, engine, finish } = await startController(
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

  test("requests with a higher priority run first, and keep it through retries", async () => {
    const seen: string[] = [];
    let isFirst = true;
    const { add, clock, finish } = await startController((request) => {
      seen.push(request);
      if (request === "urgent" && isFirst) {
        isFirst = false;
        throw conflict();
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
    const { add, clock, results, finish } = await startController(
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
    const { add, clock, lines, stop, deadline, end } = await startController(() => new Promise(() => {}), {
      stuckAfter: 60_000,
    });
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
    const { add, clock, stop, deadline, end } = await startController(async (request, { signal }) => {
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
    const other: Line[] = [];
    const library = createLogger({ write: (line) => void other.push(JSON.parse(line) as Line) });
    const { add, clock, lines, finish } = await startController(async (request, { log }) => {
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
