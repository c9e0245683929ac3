import { eventually } from "@tsbuilder/runtime/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { MovableClock } from "./movable-clock.ts";

const hour = 3_600_000;

test("what waits is due in the order of its time, and sees the time at which it was", async () => {
  const clock = new MovableClock();
  const start = clock.now();
  const seen: [string, number][] = [];
  const see = (name: string) => () => seen.push([name, Math.round((clock.now() - start) / hour)]);
  clock.setTimer(see("b"), 2 * hour);
  clock.setTimer(() => {
    see("a")();
    clock.setTimer(see("c"), 2 * hour);
  }, hour);
  clock.setTimer(see("later"), 4 * hour);
  clock.setTimer(see("cancelled"), hour)();
  await clock.move(3.5 * hour);
  expect(seen).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  expect(clock.ahead).toBe(3.5 * hour);
  expect(clock.now()).toBeGreaterThanOrEqual(start + 3.5 * hour);
});

test("participants finish their work before the time goes on", async () => {
  const clock = new MovableClock();
  const seen: string[] = [];
  let work: Promise<void> | undefined;
  const leave = clock.join(() => work);
  clock.setTimer(() => {
    work = (async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      seen.push("worked");
      work = undefined;
    })();
  }, hour);
  clock.setTimer(() => seen.push("next"), hour + 1);
  await clock.move(2 * hour);
  expect(seen).toEqual(["worked", "next"]);
  leave();
});

test("what is not due yet comes by itself, so much earlier", async () => {
  const clock = new MovableClock();
  const seen: string[] = [];
  clock.setTimer(() => seen.push("soon"), hour + 20);
  clock.setTimer(() => seen.push("long"), 2 ** 32);
  await clock.move(hour);
  await eventually(() => expect(seen).toEqual(["soon"]));
  await clock.move(2 ** 32 - hour);
  expect(seen).toEqual(["soon", "long"]);
});

test("a move ends where it is once nobody waits for it", async () => {
  const clock = new MovableClock();
  const ended = new AbortController();
  const seen: string[] = [];
  clock.setTimer(() => {
    seen.push("first");
    ended.abort();
  }, hour);
  clock.setTimer(() => seen.push("second"), 2 * hour);
  await clock.move(3 * hour, ended.signal);
  expect(seen).toEqual(["first"]);
  expect(Math.round(clock.ahead / hour)).toBe(1);
});

test("a move ends where it is although somebody still works", async () => {
  const clock = new MovableClock();
  const ended = new AbortController();
  let isWorking = false;
  const leave = clock.join(() => (isWorking ? new Promise(() => ended.abort()) : undefined));
  clock.setTimer(() => void (isWorking = true), hour);
  await clock.move(3 * hour, ended.signal);
  expect(Math.round(clock.ahead / hour)).toBe(1);
  leave();
});

test("a timer that is longer than Node's timers ends no earlier", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const day = 24 * 3_600_000;
  let runs = 0;
  new MovableClock().setTimer(() => runs++, 40 * day);
  vi.advanceTimersByTime(39 * day);
  expect(runs).toBe(0);
  vi.advanceTimersByTime(day);
  expect(runs).toBe(1);
});
