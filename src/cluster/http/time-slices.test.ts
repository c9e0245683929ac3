import { expect, test, vi } from "vitest";
import { TimeSlices } from "./time-slices.ts";

test("a computation pauses when its slice is over, and then has another one", async () => {
  let now = 0;
  const pause = new TimeSlices(() => now).begin();
  now = 4;
  expect(pause()).toBeUndefined();
  now = 5;
  const paused = pause();
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  expect(pause()).toBeUndefined();
  now = 10;
  expect(pause()).toBeInstanceOf(Promise);
});

test("in each turn of the event loop, one of several computations continues", async () => {
  let now = 0;
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const steps: Array<[name: string, turn: number]> = [];
  const slices = new TimeSlices(() => now);
  const compute = async (name: string): Promise<void> => {
    const pause = slices.begin();
    for (let step = 0; step < 3; step++) {
      now += 10;
      await pause();
      steps.push([name, turn]);
    }
  };
  await Promise.all(["a", "b", "c"].map(compute));
  isCounting = false;
  expect(steps.map(([name]) => name).join("")).toBe("abcabcabc");
  expect(new Set(steps.map(([, at]) => at)).size).toBe(steps.length);
});

test("fake timers of a test hold no computation up", async () => {
  let now = 0;
  const pause = new TimeSlices(() => now).begin();
  now = 5;
  vi.useFakeTimers();
  const paused = pause();
  vi.useRealTimers();
  expect(await paused).toBeUndefined();
});
