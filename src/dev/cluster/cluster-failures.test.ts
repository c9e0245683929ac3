import { expect, test } from "vitest";
import { failureReporter, formatFailure } from "./cluster-failures.ts";

test("failureReporter() reports a full disk once per interval, and anything else each time", () => {
  const told: string[] = [];
  let now = 0;
  const report = failureReporter(
    (error) => void told.push(formatFailure(error).split("\n    at ")[0]!),
    () => now,
  );
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  const words =
    "cluster: the disk is full, so the cluster rejects writes; no data is lost\nhint: free some space: the cluster then continues by itself\n";
  report(full);
  report(new Error("controller job failed on default/j", { cause: full }));
  report(new Error("a bug"));
  now = 30_000;
  report(full);
  expect(told).toEqual([words, "cluster: Error: a bug", words]);
});
