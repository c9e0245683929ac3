import { describe, expect, test } from "vitest";
import { mergeJson } from "./merge.ts";

const merge = (base: unknown, ours: unknown, theirs: unknown): [unknown, readonly string[]] => {
  const [a, b, c] = [base, ours, theirs].map((value) => JSON.stringify(value)) as [string, string, string];
  const { text, disputed } = mergeJson(a, b, c)!;
  return [JSON.parse(text), disputed];
};

describe("mergeJson()", () => {
  test("applies what each side changed, added and removed", () => {
    const base = { dependencies: { a: "1", b: "1", c: "1" } };
    const ours = { dependencies: { a: "2", b: "1", d: "1" } };
    const theirs = { dependencies: { a: "1", b: "9", c: "1", mine: "1" }, author: "me" };
    expect(merge(base, ours, theirs)).toEqual([
      { dependencies: { a: "2", b: "9", mine: "1", d: "1" }, author: "me" },
      [],
    ]);
  });

  test("keeps the user's value if both changed it, and returns its key", () => {
    expect(merge({ a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } })).toEqual([{ a: { b: 3 } }, ["a.b"]]);
  });

  test("keeps values that the user edited and we removed, and does not restore what they removed", () => {
    expect(merge({ a: 1, b: 1 }, { b: 2 }, { a: 5 })).toEqual([{ a: 5 }, ["a", "b"]]);
  });

  test("adds members to an object that was empty, though the user has left it out", () => {
    expect(merge({ a: {} }, { a: { b: 1 } }, { c: 1 })).toEqual([{ c: 1, a: { b: 1 } }, []]);
  });

  test("keeps the user's order", () => {
    expect(mergeJson(`{"a":1,"b":1}`, `{"a":2,"b":1,"c":1}`, `{"b":1,"a":1}`)?.text).toBe(
      `{\n  "b": 1,\n  "a": 2,\n  "c": 1\n}\n`,
    );
  });

  test("does not merge invalid JSON", () => {
    expect(mergeJson("{}", "{}", "{ // mine\n}")).toBeUndefined();
  });
});
