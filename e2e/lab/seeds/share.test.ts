import { expect, test } from "vitest";
import { shares } from "./share.ts";

test("plans are dealt in turn, and each seed is explored once", () => {
  const dealt = shares(5, 30, 2, "project");
  expect(dealt).toEqual([
    { plans: [1, 3, 5, 7], from: 5, end: 35, folder: "project" },
    { plans: [2, 4, 6, 8], from: 5, end: 35, folder: "project" },
  ]);
});

test("a process without seeds isn't started", () => {
  expect(shares(1, 2, 2, "project")).toHaveLength(1);
});
