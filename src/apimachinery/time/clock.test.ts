import { afterEach, expect, test, vi } from "vitest";
import { FakeClock } from "./fake-clock.ts";

const given = Symbol.for("@tsbuilder/clock");

afterEach(() => {
  Reflect.deleteProperty(globalThis, given);
  vi.resetModules();
});

test("the system time is the clock that was left to the process, if one was", async () => {
  vi.resetModules();
  const clock = new FakeClock();
  Reflect.set(globalThis, given, clock);
  const moved = await import("./clock.ts");
  expect(moved.systemClock).toBe(clock);
  expect(moved.backgroundClock.now()).toBeGreaterThan(clock.now());
});

test("else it is the real one", async () => {
  vi.resetModules();
  const before = Date.now();
  const { systemClock } = await import("./clock.ts");
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});
