import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { RunnableGroup } from "./lifecycle.ts";

test("RunnableGroup sets no timer if the time to stop is over after its runnables have ended", async () => {
  const clock = new FakeClock();
  const group = new RunnableGroup(clock, () => {});
  const deadline = new AbortController();
  group.start({ log: createLogger({ write() {} }), deadline: deadline.signal });
  expect(await group.stop(deadline.signal, 100)).toBe(true);
  deadline.abort();
  await clock.advance(0);
  expect(clock.timers).toBe(0);
});

test("RunnableGroup leaves behind what still runs a moment after the deadline", async () => {
  const clock = new FakeClock();
  const group = new RunnableGroup(clock, () => {});
  const deadline = new AbortController();
  group.add({ name: "stubborn", start: () => new Promise(() => {}) });
  group.start({ log: createLogger({ write() {} }), deadline: deadline.signal });
  let hasEnded: boolean | undefined;
  const stopping = group.stop(deadline.signal, 100).then((all) => void (hasEnded = all));
  deadline.abort();
  await clock.advance(99);
  expect(hasEnded).toBeUndefined();
  await clock.advance(1);
  await stopping;
  expect(hasEnded).toBe(false);
});
