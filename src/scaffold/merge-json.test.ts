import { describe, expect, test } from "vitest";
import { mergeJson } from "./merge-json.ts";

const merge = (base: unknown, ours: unknown, theirs: unknown): [unknown, readonly string[]] => {
  const [a, b, c] = [base, ours, theirs].map((value) => JSON.stringify(value)) as [string, string, string];
  const { text, disputed } = mergeJson(a, b, c)!;
  return [JSON.parse(text), disputed];
};

describe("mergeJson()", () => {
  test("takes over what each side changed, added and removed", () => {
    const base = { dependencies: { a: "1", b: "1", c: "1" } };
    const ours = { dependencies: { a: "2", b: "1", d: "1" } };
    const theirs = { dependencies: { a: "1", b: "9", c: "1", mine: "1" }, author: "me" };
    expect(merge(base, ours, theirs)).toEqual([
      { dependencies: { a: "2", b: "9", mine: "1", d: "1" }, author: "me" },
      [],
    ]);
  });

  test("leaves the user's value where both changed it, and says where", () => {
    expect(merge({ a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } })).toEqual([{ a: { b: 3 } }, ["a.b"]]);
  });

  test("keeps what the user changed and we no longer have, and what they removed stays away", () => {
    expect(merge({ a: 1, b: 1 }, { b: 2 }, { a: 5 })).toEqual([{ a: 5 }, ["a", "b"]]);
  });

  test("keeps the user's order", () => {
    expect(mergeJson(`{"a":1,"b":1}`, `{"a":2,"b":1,"c":1}`, `{"b":1,"a":1}`)?.text).toBe(
      `{\n  "b": 1,\n  "a": 2,\n  "c": 1\n}\n`,
    );
  });

  test("leaves alone what is no JSON", () => {
    expect(mergeJson("{}", "{}", "{ // mine\n}")).toBeUndefined();
  });
});
