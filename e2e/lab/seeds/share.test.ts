import { expect, test } from "vitest";
import { shares } from "./share.ts";

test("tens of seeds are dealt in turn, and each seed is explored once", () => {
  const dealt = shares(5, 30, 2, "project");
  expect(dealt).toEqual([
    { plans: [0, 2], from: 5, end: 35, folder: "project" },
    { plans: [1, 3], from: 5, end: 35, folder: "project" },
  ]);
});

test("a process without seeds isn't started", () => {
  expect(shares(1, 9, 2, "project")).toHaveLength(1);
});
