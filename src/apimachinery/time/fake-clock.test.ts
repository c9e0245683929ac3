import { expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";

test("FakeClock fires timers at their moments, in order, also those that are set while it moves", async () => {
  const clock = new FakeClock();
  const fired: [string, number][] = [];
  const note = (name: string) => () => void fired.push([name, clock.monotonic()]);
  clock.setTimer(note("late"), 30);
  clock.setTimer(() => {
    note("early")();
    clock.setTimer(note("between"), 5);
  }, 10);
  clock.setTimer(note("cancelled"), 20)();
  await clock.advance(30);
  expect(fired).toEqual([
    ["early", 10],
    ["between", 15],
    ["late", 30],
  ]);
  expect(clock.now()).toBe(Date.UTC(2024, 0, 1) + 30);
});

test("FakeClock fires a timer of a fraction of a millisecond, whatever the date", () => {
  const clock = new FakeClock(new Date("2100-01-01T00:00:00Z"));
  let left = 1;
  const again = () => {
    left = 1 - clock.monotonic();
    if (left > 0) clock.setTimer(again, Math.min(left, 1e-3));
  };
  again();
  clock.advanceSync(2);
  expect(left).toBeLessThanOrEqual(0);
  expect(clock.timers).toBe(0);
  expect(clock.untilNextTimer).toBeUndefined();
});

test("FakeClock waits for the work of those who joined before it fires the next timer", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  let working: Promise<void> | undefined;
  const work = async (untilDone: Promise<void>) => {
    await untilDone;
    log.push("done");
    working = undefined;
  };
  const leave = clock.join(() => working);
  clock.setTimer(() => void (working = work(new Promise((resolve) => setTimeout(resolve, 1)))), 10);
  clock.setTimer(() => void log.push("next"), 11);
  await clock.advance(11);
  expect(log).toEqual(["done", "next"]);

  leave();
  clock.setTimer(() => void (working = work(new Promise(() => {}))), 10);
  await clock.advance(10);
  expect(log).toEqual(["done", "next"]);
});

test("time that is skipped postpones upkeep, and work that was due meanwhile is due at its end", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  const note = (text: string) => () => void log.push(`${text} at ${clock.monotonic()}`);
  clock.setTimer(note("poll"), 10);
  clock.setTimer(note("bookmark"), 20, "upkeep");
  clock.setTimer(note("renewal"), 1000);
  expect([clock.untilNextWork(), clock.untilNextWork(11), clock.untilNextWork(1001)]).toEqual([
    10,
    1000,
    undefined,
  ]);
  clock.skip(100);
  expect(clock.untilNextWork()).toBe(0);
  await clock.advance(1000);
  expect(log).toEqual(["poll at 100", "bookmark at 120", "renewal at 1000"]);
});

test("work that was due while time was skipped is done in the order in which it was due", async () => {
  const clock = new FakeClock();
  const log: string[] = [];
  for (const milliseconds of [60, 10, 100, 30])
    clock.setTimer(() => void log.push(`${milliseconds} at ${clock.monotonic()}`), milliseconds);
  clock.skip(100);
  await clock.advance(0);
  expect(log).toEqual(["10 at 100", "30 at 100", "60 at 100", "100 at 100"]);
});
