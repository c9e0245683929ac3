import { expect, test } from "vitest";
import { statusProblems } from "./job.ts";
import type { Job, JobSpec, JobStatus } from "./job-spec.ts";

const refusals = (spec: JobSpec, status: JobStatus) => {
  const job = { metadata: { name: "a" }, spec, status } as Job;
  return [...statusProblems(job, { ...job, status: {} })].map(({ field, detail }) => `${field}: ${detail}`);
};

test("indexes of a Job without completions aren't compared, however many there are", () => {
  expect(refusals({}, { completedIndexes: "0-4000000000" })).toEqual([
    "status.completedIndexes: cannot set non-empty completedIndexes when non-indexed completion mode",
  ]);
});

test("an overlap with a long interval of indexes is found, even beside an invalid interval", () => {
  const spec = { completionMode: "Indexed", completions: 2 ** 31 - 1, backoffLimitPerIndex: 1 } as const;
  expect(refusals(spec, { completedIndexes: "0-2147483645", failedIndexes: "7-5,2147483000" })).toEqual([
    "status.failedIndexes: error parsing failedIndexes: non-increasing order, previous: 7, current: 5",
    "status.failedIndexes: failedIndexes and completedIndexes overlap at index: 2147483000",
  ]);
});
