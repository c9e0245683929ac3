import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { ProcessClock } from "./virtual-time.ts";

test("timers without a delay that set themselves anew don't stop the time", () => {
  const world = new FakeClock();
  const clock = new ProcessClock(world);
  const at: number[] = [];
  const again = (): void => {
    at.push(clock.monotonic());
    clock.setTimer(again, at.length < 100 ? 0 : 60_000);
  };
  clock.setTimer(again, 0);
  world.advanceSync(3);
  expect(at).toEqual([1, 2, 3]);
});
