import { expect, test } from "vitest";
import { consistently, eventually } from "./eventually.ts";

test("eventually() resolves with the first result that is neither an error nor false", async () => {
  let calls = 0;
  const result = await eventually(
    () => {
      calls++;
      if (calls === 1) throw new Error("not yet");
      return calls === 2 ? false : calls;
    },
    { interval: 1 },
  );
  expect(result).toBe(3);
});

test("eventually() rejects with the last error after its timeout", async () => {
  let calls = 0;
  const check = (): never => {
    throw new Error(`call ${++calls}`);
  };
  await expect(eventually(check, { timeout: 20, interval: 5 })).rejects.toThrow(/^call \d+$/);
  expect(calls).toBeGreaterThan(1);
  await expect(eventually(() => false, { timeout: 0 })).rejects.toThrow("still gave false after 0 ms");
});

test("consistently() checks until its time is over, and rejects at the first failure", async () => {
  let calls = 0;
  await consistently(() => ++calls, { timeout: 20, interval: 5 });
  expect(calls).toBeGreaterThan(1);
  await expect(consistently(() => ++calls < 0, { timeout: 1e6 })).rejects.toThrow("the check gave false");
  const broken = (): never => {
    throw new Error("broken");
  };
  await expect(consistently(broken, { timeout: 1e6 })).rejects.toThrow("broken");
});
