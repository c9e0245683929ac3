import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import type { CallbackError } from "../callbacks/callbacks.ts";
import { Backoff } from "../queue/work-queue.ts";
import type { RetryDelay } from "./controller-spec.ts";
import { guardDelay } from "./controller.ts";

/** The delays of the first retries of a key. */
function delaysOf(delay: RetryDelay, count: number, retriesPerSecond?: number) {
  const errors: CallbackError[] = [];
  const guarded = guardDelay(delay, (error) => void errors.push(error));
  const backoff = new Backoff({ base: 5, max: 1000, delay: guarded, retriesPerSecond }, new FakeClock());
  return { delays: Array.from({ length: count }, () => backoff.next("default/a")), errors };
}

test("a delay of one's own gets the number of retries and the key, and replaces the usual one", () => {
  const seen: unknown[] = [];
  const { delays } = delaysOf((retries, key) => {
    seen.push([retries, key]);
    return retries === 0 ? "1s" : retries === 1 ? "1m30s" : undefined;
  }, 3);
  expect(seen).toEqual([0, 1, 2].map((retries) => [retries, "default/a"]));
  expect(delays).toEqual([1000, 90_000, 20]);
});

test("the limit over all requests applies too", () => {
  expect(delaysOf(() => "1ms", 12, 1).delays.slice(9)).toEqual([1, 1000, 2000]);
});

test.for([
  ["a number", 5],
  ["no duration", "soon"],
  ["a time in the past", "-1s"],
] as const)("a delay that is %s is reported, and the usual one applies", ([, delay]) => {
  const { delays, errors } = delaysOf(() => delay as never, 2);
  expect(delays).toEqual([5, 10]);
  expect(errors.map(({ callback, object }) => [callback, object])).toEqual([
    ["backoff", "default/a"],
    ["backoff", "default/a"],
  ]);
});

test("a delay that throws is reported, and the usual one applies", () => {
  const { delays, errors } = delaysOf(() => {
    throw new Error("no idea");
  }, 1);
  expect(delays).toEqual([5]);
  expect(errors[0]?.message).toContain("no idea");
});
