import { expect, it } from "vitest";
import type { Pod } from "../../../control-loop/api/core.ts";
import { untilRetry, withFailures } from "./job-controller.ts";

const at = (seconds: number) => Date.UTC(2026, 0, 1, 0, 0, seconds);
const ended = (seconds: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [] },
  status: {
    containerStatuses: [
      {
        name: "c",
        image: "",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode: 1, finishedAt: new Date(at(seconds)).toISOString() } },
      },
    ],
  },
});
const none: Pod[] = [];

it("withFailures() counts what failed since the last success", () => {
  const first = withFailures(undefined, { newFailed: [ended(1), ended(5)], newSucceeded: none });
  expect(first).toEqual({ count: 2, last: at(5) });
  const more = withFailures(first, { newFailed: [ended(9)], newSucceeded: none });
  expect(more).toEqual({ count: 3, last: at(9) });
  const after = withFailures(more, { newFailed: [ended(10), ended(12)], newSucceeded: [ended(11)] });
  expect(after).toEqual({ count: 1, last: at(12) });
  expect(withFailures(after, { newFailed: none, newSucceeded: [ended(13)] })).toBeUndefined();
});

it.each([
  [1, 0, 10_000],
  [1, 4, 6_000],
  [1, 11, 0],
  [3, 0, 40_000],
  [40, 0, 600_000],
])("untilRetry() after %i failures, %i seconds ago, waits %i ms", (count, ago, wait) => {
  expect(untilRetry({ count, last: at(0) }, at(ago))).toBe(wait);
});

it("untilRetry() does not wait without failures", () => {
  expect(untilRetry(undefined, at(0))).toBe(0);
});
