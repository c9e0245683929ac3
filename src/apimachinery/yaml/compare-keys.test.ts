import { describe, expect, it } from "vitest";
import { compareKeys } from "./emit-yaml.ts";

describe("compareKeys()", () => {
  it.each([
    [
      ["b", "a", "B", "A"],
      ["A", "B", "a", "b"],
    ],
    [
      ["a10", "a2", "a1"],
      ["a1", "a2", "a10"],
    ],
    [
      ["type", "x-kubernetes-y", "title"],
      ["title", "type", "x-kubernetes-y"],
    ],
    [
      ["ab", "a-b", "a"],
      ["a", "a-b", "ab"],
    ],
    [
      ["a01", "a1", "a001"],
      ["a1", "a01", "a001"],
    ],
    [
      ["v1beta2", "v1", "v1beta1"],
      ["v1", "v1beta1", "v1beta2"],
    ],
  ])("sorts %j", (keys, sorted) => {
    expect([...keys].sort(compareKeys)).toEqual(sorted);
  });
});
