import { describe, expect, test } from "vitest";
import { copyJSON, isEqual, isObject, type JSONObject, memberOf, setMember, unionOfKeys } from "./index.ts";

test("an object is neither null nor an array", () => {
  expect([{}, Object.create(null)].map(isObject)).toEqual([true, true]);
  expect([null, undefined, [], "text", 1, true].filter(isObject)).toEqual([]);
});

describe("members", () => {
  test("are the object's own", () => {
    expect(memberOf({ a: 1 }, "a")).toBe(1);
    expect(memberOf({}, "constructor")).toBeUndefined();
    expect(memberOf({}, "__proto__")).toBeUndefined();
  });

  test("may be named __proto__", () => {
    const object: JSONObject = {};
    setMember(object, "__proto__", { polluted: true });
    setMember(object, "a", 1);
    expect(Object.keys(object)).toEqual(["__proto__", "a"]);
    expect(memberOf(object, "__proto__")).toEqual({ polluted: true });
    expect(object["polluted"]).toBeUndefined();
    expect(JSON.stringify(copyJSON(object))).toBe('{"__proto__":{"polluted":true},"a":1}');
  });

  test("of two objects are listed once, those of the first object first", () => {
    expect(unionOfKeys({ b: 1, a: 1 }, { c: 1, a: 2 })).toEqual(["b", "a", "c"]);
  });
});

test("a copy shares nothing with the original", () => {
  const original = { list: [{ a: 1 }], none: null };
  const copy = copyJSON(original);
  copy.list[0]!.a = 2;
  expect(original).toEqual({ list: [{ a: 1 }], none: null });
});

describe("equality", () => {
  test.each([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: undefined }, {}],
    [0, -0],
    [5, 5n],
    [5n, 5],
    [NaN, NaN],
    [[{ a: [null] }], [{ a: [null] }]],
  ])("%o is %o", (a, b) => {
    expect(isEqual(a, b)).toBe(true);
  });

  test.each([
    [{ a: null }, {}],
    [{ constructor: 1 }, {}],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    ["5", 5n],
    [5.5, 5n],
    [false, 0],
    [null, undefined],
  ])("%o is not %o", (a, b) => {
    expect([isEqual(a, b), isEqual(b, a)]).toEqual([false, false]);
  });
});
