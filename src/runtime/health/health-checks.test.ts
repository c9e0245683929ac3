import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { HealthChecks } from "./health-checks.ts";

test("HealthChecks reports a check that never ends as failed after ten seconds, even if it ignores its signal", async () => {
  const clock = new FakeClock();
  const checks = new HealthChecks(clock);
  checks.add("deaf", () => new Promise(() => {}));
  checks.add("fine", () => {});
  const report = checks.run();
  await clock.advance(10_000);
  const { isHealthy, failures, text } = await report;
  expect(isHealthy).toBe(false);
  expect(failures).toMatchObject([{ name: "deaf", error: { message: "the check took too long" } }]);
  expect(text).toContain("[-]deaf failed: reason withheld\n[+]fine ok\n");
  expect(clock.timers).toBe(0);
});

test.each<[string, () => never | Promise<never>]>([
  [
    "an error",
    () => {
      throw new Error("down");
    },
  ],
  [
    "nothing",
    () => {
      throw undefined;
    },
  ],
  ["something falsy, later", () => Promise.reject(0)],
])("HealthChecks reports a check that throws %s, and runs the others", async (_, check) => {
  const clock = new FakeClock();
  const checks = new HealthChecks(clock);
  checks.add("bad", check);
  checks.add("fine", () => {});
  const { failures, text } = await checks.run();
  expect(failures.map(({ name }) => name)).toEqual(["bad"]);
  expect(text).toContain("[+]fine ok\n");
  expect(clock.timers).toBe(0);
});
