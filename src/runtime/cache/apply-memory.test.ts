import { expect, test } from "vitest";
import { ApplyMemory } from "./cached-client.ts";

const applied = (id: string) => ({ id, manager: "operator", desired: "x" });
const outcome = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

test("the object whose apply is the longest ago is forgotten first", () => {
  const memory = new ApplyMemory(2);
  for (const name of ["a", "b", "a", "c"]) memory.remember(applied(name), outcome(name));
  const known = ["a", "b", "c"].filter((name) => memory.isCurrent(applied(name), outcome(name)));
  expect(known).toEqual(["a", "c"]);
});

test("another desired state or another outcome is not current", () => {
  const memory = new ApplyMemory();
  memory.remember(applied("a"), outcome("a"));
  expect(memory.isCurrent({ ...applied("a"), desired: "y" }, outcome("a"))).toBe(false);
  expect(
    memory.isCurrent(applied("a"), { ...outcome("a"), metadata: { name: "a", labels: { b: "c" } } }),
  ).toBe(false);
});
