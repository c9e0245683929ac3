import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { WorkQueue } from "./work-queue.ts";

function makeQueue(clock = new FakeClock()) {
  let ready = 0;
  const queue = new WorkQueue<string>({ keyOf: (key) => key, onReady: () => void ready++, clock });
  return { queue, clock, readyCalls: () => ready };
}

function takeAll(queue: WorkQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) {
    taken.push(next.request);
    queue.done(next.request);
  }
  return taken;
}

describe("WorkQueue", () => {
  test("WorkQueue returns requests in the order in which they were added, each key once", () => {
    const { queue } = makeQueue();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(queue.depth).toBe(3);
    expect(takeAll(queue)).toEqual(["a", "b", "c"]);
  });

  test("WorkQueue holds back a key that is being processed until it is done, then returns it once more", () => {
    const { queue, readyCalls } = makeQueue();
    queue.add("a");
    expect(queue.take()?.request).toBe("a");
    queue.add("a");
    queue.add("a");
    expect(queue.take()).toBeUndefined();
    const before = readyCalls();
    queue.done("a");
    expect(readyCalls()).toBe(before + 1);
    expect(takeAll(queue)).toEqual(["a"]);
  });

  test("WorkQueue returns higher priorities first, and a raised one at the end of its new level", () => {
    const { queue } = makeQueue();
    queue.add("old1", { priority: -100 });
    queue.add("old2", { priority: -100 });
    queue.add("new");
    queue.add("old2");
    queue.add("urgent", { priority: 10 });
    expect(queue.depths).toEqual(
      new Map([
        [-100, 1],
        [0, 2],
        [10, 1],
      ]),
    );
    expect(takeAll(queue)).toEqual(["urgent", "new", "old2", "old1"]);
    expect(queue.depths.size).toBe(0);
  });

  test("WorkQueue keeps the earliest time of a delayed key; adding it without a delay makes it ready", () => {
    const { queue, clock } = makeQueue();
    queue.add("a", { after: 1000 });
    queue.add("a", { after: 100 });
    queue.add("a", { after: 5000 });
    queue.add("b", { after: 1000 });
    queue.add("b");
    expect(takeAll(queue)).toEqual(["b"]);
    clock.advanceSync(99);
    expect(queue.take()).toBeUndefined();
    clock.advanceSync(1);
    expect(takeAll(queue)).toEqual(["a"]);
    clock.advanceSync(10_000);
    expect(takeAll(queue)).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test("WorkQueue needs one timer for any number of delayed requests", () => {
    const { queue, clock } = makeQueue();
    for (let index = 0; index < 100_000; index++)
      queue.add(`k${index}`, { after: 1 + ((index * 7919) % 60_000) });
    expect(clock.timers).toBe(1);
    clock.advanceSync(60_001);
    expect(queue.depth).toBe(100_000);
    expect(clock.timers).toBe(0);
  });

  test("WorkQueue doubles the wait before each retry up to the maximum, until the key is forgotten", () => {
    const { queue, clock } = makeQueue();
    const waits: number[] = [];
    for (let retry = 0; retry < 20; retry++) {
      queue.retry("a");
      const since = clock.monotonic();
      while (!queue.take()) clock.advanceSync(1);
      waits.push(clock.monotonic() - since);
      queue.done("a");
      if (waits.at(-1)! >= 40_000) break;
    }
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(queue.retries("a")).toBe(waits.length);
    queue.forget("a");
    expect(queue.retries("a")).toBe(0);
  });

  test("WorkQueue never waits longer than the maximum, however often a key failed", () => {
    const { queue, clock } = makeQueue();
    for (let retry = 0; retry < 2000; retry++) {
      queue.retry("a");
      clock.advanceSync(1_000_000);
      expect(queue.take()?.request).toBe("a");
      queue.done("a");
    }
  });

  test("WorkQueue counts the requests that keep failing, until they are forgotten", () => {
    const { queue } = makeQueue();
    for (const key of ["a", "a", "a", "a", "a", "b"]) queue.retry(key);
    expect(queue.failing).toBe(0);
    queue.retry("a");
    expect(queue.failing).toBe(1);
    queue.forget("a");
    expect(queue.failing).toBe(0);
  });

  test("WorkQueue limits the rate of retries over all keys if configured", () => {
    const clock = new FakeClock();
    const queue = new WorkQueue<string>({
      keyOf: (key) => key,
      onReady: () => {},
      clock,
      backoff: { base: 0.001, max: 1000, retriesPerSecond: 10 },
    });
    for (let index = 0; index < 150; index++) queue.retry(`k${index}`);
    clock.advanceSync(10);
    expect(takeAll(queue)).toHaveLength(100);
    clock.advanceSync(1000);
    expect(takeAll(queue).length).toBeGreaterThanOrEqual(9);
    clock.advanceSync(60_000);
    takeAll(queue);
    expect(queue.depth).toBe(0);
  });

  test("WorkQueue releases many requests that are due at once in several turns of the event loop", () => {
    const { queue, clock } = makeQueue();
    for (let index = 0; index < 2500; index++) queue.add(`k${index}`, { after: 10 });
    const depths: number[] = [];
    const look = (): void => void (depths.push(queue.depth), queue.depth < 2500 && clock.setTimer(look, 0));
    clock.setTimer(look, 10);
    clock.advanceSync(10);
    expect(depths).toEqual([1000, 2000, 2500]);
    expect(clock.timers).toBe(0);
  });

  test("WorkQueue drops waiting requests when it is shut down, and accepts no more", () => {
    const { queue, clock } = makeQueue();
    queue.add("a");
    queue.add("b", { after: 10 });
    queue.shutDown();
    queue.add("c");
    queue.retry("d");
    clock.advanceSync(1000);
    expect(queue.take()).toBeUndefined();
    expect(clock.timers).toBe(0);
  });

  const step = fc.oneof(
    fc.record({
      do: fc.constant("add" as const),
      key: fc.integer({ min: 0, max: 5 }).map(String),
      after: fc.constantFrom(0, 0, 1, 5, 50),
      priority: fc.constantFrom(-100, 0, 0, 7),
    }),
    fc.record({ do: fc.constant("retry" as const), key: fc.integer({ min: 0, max: 5 }).map(String) }),
    fc.record({ do: fc.constant("take" as const) }),
    fc.record({ do: fc.constant("done" as const), index: fc.nat(5) }),
    fc.record({ do: fc.constant("advance" as const), by: fc.integer({ min: 0, max: 60 }) }),
  );

  test("WorkQueue never returns a key concurrently, loses nothing, and is never early (any interleaving)", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { queue, clock } = makeQueue();
        const working: string[] = [];
        /** The requests that must still be delivered, each with its earliest time. */
        const owed = new Map<string, number>();
        const take = () => {
          const taken = queue.take();
          if (!taken) return;
          expect(working).not.toContain(taken.request);
          expect(owed.has(taken.request)).toBe(true);
          expect(clock.monotonic()).toBeGreaterThanOrEqual(owed.get(taken.request)!);
          owed.delete(taken.request);
          working.push(taken.request);
        };
        for (const action of steps) {
          if (action.do === "add") {
            queue.add(action.key, action);
            const at = clock.monotonic() + action.after;
            owed.set(action.key, Math.min(owed.get(action.key) ?? Infinity, at));
          } else if (action.do === "retry") {
            const wait = Math.min(5 * 2 ** queue.retries(action.key), 1_000_000);
            queue.retry(action.key);
            owed.set(action.key, Math.min(owed.get(action.key) ?? Infinity, clock.monotonic() + wait));
          } else if (action.do === "take") take();
          else if (action.do === "done") {
            const [key] = working.splice(action.index % Math.max(1, working.length), 1);
            if (key !== undefined) queue.done(key);
          } else clock.advanceSync(action.by);
        }
        for (const key of working.splice(0)) queue.done(key);
        clock.advanceSync(2_000_000);
        while (queue.depth > 0) {
          take();
          for (const key of working.splice(0)) queue.done(key);
        }
        expect([...owed.keys()]).toEqual([]);
        expect(clock.timers).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test("WorkQueue returns delayed requests in the order of their times", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 50 }), (delays) => {
        const { queue, clock } = makeQueue();
        delays.forEach((after, index) => queue.add(String(index), { after }));
        const seen: number[] = [];
        for (let at = 0; at <= 1000; at++) {
          seen.push(...takeAll(queue).map((key) => delays[Number(key)]!));
          clock.advanceSync(1);
        }
        seen.push(...takeAll(queue).map((key) => delays[Number(key)]!));
        expect(seen).toEqual(delays.toSorted((left, right) => left - right));
      }),
      { numRuns: 50 },
    );
  });
});
