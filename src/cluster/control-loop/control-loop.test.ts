import { type Clock, FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import type { ClusterObjects } from "../contract/cluster-objects.ts";
import { ControlLoop } from "./control-loop.ts";
import type { Controller } from "./controller.ts";

/** Runs a controller of one key for a minute; returns when it was called, and what was reported. */
async function calls(reconcile: (now: number) => number | undefined) {
  const clock = new FakeClock(0);
  const at: number[] = [];
  const reported: string[] = [];
  const objects = { watch: () => () => {}, list: () => [], resources: () => [] } as unknown as ClusterObjects;
  const controller = {
    startKeys: ["a"],
    keysOf: () => [],
    reconcile: (): Promise<number | undefined> => {
      at.push(clock.now());
      return Promise.resolve(reconcile(clock.now()));
    },
  };
  const onError = (_: string, key: string, error: unknown) =>
    reported.push(`${key}: ${(error as Error).message}`);
  const loop = new ControlLoop("test", () => controller, { objects, clock, onError });
  const leave = clock.join(() => loop.idle());
  await clock.advance(60_000);
  leave();
  await loop.stop();
  return { at, reported };
}

test("a controller is called again when it asks to be, at once, too", async () => {
  const waits = [0, 30_000, 0, undefined];
  expect(await calls(() => waits.shift())).toEqual({ at: [0, 0, 30_000, 30_000], reported: [] });
});

test("a controller that never does what is due is reported, and doesn't stop a clock", async () => {
  const { at, reported } = await calls(() => 0);
  expect(reported[0]).toBe("a: what is due now was due before, and not done");
  expect(at.length).toBeLessThan(100);
});

test("the time stands still during a reconcile, however long it takes, and only then", async () => {
  let time = 0;
  const clock = { now: () => ++time, monotonic: () => 0, setTimer: () => () => {} };
  const seen: number[][] = [];
  const objects = { watch: () => () => {}, list: () => [], resources: () => [] } as unknown as ClusterObjects;
  let look = (): number => 0;
  const create = (own: Clock): Controller => {
    const now = (): number => own.now();
    look = now;
    const reconcile = async (): Promise<undefined> => {
      const before = now();
      await Promise.resolve();
      seen.push([before, now()]);
    };
    return { startKeys: ["a", "b"], keysOf: () => [], reconcile };
  };
  const loop = new ControlLoop("test", create, { objects, clock });
  await loop.idle();
  expect(seen).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect([look(), look()]).toEqual([3, 4]);
});

test("a conflict that never ends is reported once", async () => {
  const conflict = Object.assign(new Error("taken"), { status: { code: 409 } });
  const { at, reported } = await calls(() => {
    throw conflict;
  });
  expect(reported).toEqual(["a: taken"]);
  expect(at.length).toBeGreaterThan(10);
});

test("a failure between two times at once is reported by itself", async () => {
  const answers = [0, new Error("no luck"), 0, undefined];
  const { at, reported } = await calls(() => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(at).toEqual([0, 0, 10, 10]);
  expect(reported).toEqual(["a: no luck"]);
});
