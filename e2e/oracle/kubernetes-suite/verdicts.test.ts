import { expect, test } from "vitest";
import { readVerdicts } from "./verdicts.ts";

const report = (State: string, name: string, LeafNodeType = "It") => ({
  ContainerHierarchyTexts: ["[sig-apps] Job"],
  LeafNodeType,
  LeafNodeText: name,
  State,
  ...(State === "failed" && { Failure: { Message: "no pods" } }),
});

test("the verdicts of a report are those of the specs that ran, by name", () => {
  const SpecReports = [
    report("failed", "b"),
    report("skipped", "c"),
    report("pending", "d"),
    report("timedout", "e"),
    report("passed", "a"),
    { ...report("passed", "", "SynchronizedBeforeSuite"), ContainerHierarchyTexts: null },
  ];
  expect(readVerdicts([{ SpecReports }])).toEqual([
    { spec: "[sig-apps] Job a", passed: true, message: "" },
    { spec: "[sig-apps] Job b", passed: false, message: "no pods" },
    { spec: "[sig-apps] Job e", passed: false, message: "" },
  ]);
});
