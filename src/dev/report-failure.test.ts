import { expect, test } from "vitest";
import { failureReporter } from "./report-failure.ts";

test("failureReporter() tells of a full disk once in a while, and of anything else each time", () => {
  const told: string[] = [];
  let now = 0;
  const report = failureReporter(
    (text) => void told.push(text.split("\n")[0]!),
    () => now,
  );
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  report(full);
  report(new Error("controller job failed on default/j", { cause: full }));
  report(new Error("a bug"));
  now = 30_000;
  report(full);
  expect(told).toEqual([
    "cluster: the disk is full, so writes are refused and nothing is lost",
    "cluster: Error: a bug",
    "cluster: the disk is full, so writes are refused and nothing is lost",
  ]);
});
