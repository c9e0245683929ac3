import { expect, test } from "vitest";
import { compareFacts } from "./compare-facts.ts";

test("a diff of facts names fields by their type, and what a person has to write about new kinds", () => {
  const old = [
    "# comment",
    "core/v1.Old",
    " gone 1 string",
    "core/v1.Pod kind",
    " name! 1 string",
    " node 2 string",
  ];
  const lines = ["core/v1.Pod kind", " name! 1 string", " node 2 string off(Gate)", " zone 3? string"];
  expect(compareFacts("types.txt", old, lines, [])).toEqual([
    "types.txt: 4 of 4 entries differ",
    "~ core/v1.Pod node 2 string -> 2 string off(Gate)",
    "+ core/v1.Pod zone 3? string",
    "- core/v1.Old",
    "- core/v1.Old gone",
  ]);
  const resources = ["v1", "  Pod pods Namespaced", "    Name/name, Age"];
  expect(compareFacts("resources.txt", ["v1"], resources, ["# rules", "v1 Gone generation"])).toEqual([
    "resources.txt: 2 of 3 entries differ",
    "+ v1 Pod pods Namespaced",
    "+ v1 Pod columns Name/name, Age",
    "to write: rules.txt (generation, field selectors …) and src/cluster/kinds for v1 Pod",
    "to remove: rules.txt has v1 Gone generation",
  ]);
});
