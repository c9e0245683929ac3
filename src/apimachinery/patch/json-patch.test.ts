import type { JSONObject } from "../json/index.ts";
import { describe, expect, it } from "vitest";
import { applyJSONPatch, createJSONPatch, type JSONPatch, PatchError } from "./index.ts";

describe("createJSONPatch()", () => {
  it("is empty for equal objects", () => {
    expect(createJSONPatch({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });

  it("adds one item in the middle of a list with one operation", () => {
    expect(createJSONPatch({ a: [1, 2, 3] }, { a: [1, 9, 2, 3] })).toEqual([
      { op: "add", path: "/a/1", value: 9 },
    ]);
  });

  it("changes one member within an item of a list", () => {
    const from = { containers: [{ name: "a", image: "x" }, { name: "b" }] };
    const to = { containers: [{ name: "a", image: "y" }, { name: "b" }] };
    expect(createJSONPatch(from, to)).toEqual([{ op: "replace", path: "/containers/0/image", value: "y" }]);
  });

  it("escapes slashes and tildes in keys", () => {
    expect(createJSONPatch({}, { "a/b~c": 1 })).toEqual([{ op: "add", path: "/a~1b~0c", value: 1 }]);
  });
});

describe("applyJSONPatch()", () => {
  it.each<[string, JSONObject, JSONPatch, JSONObject]>([
    ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["replaces a member by add", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
    ["inserts into a list", { a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
    ["appends to a list", { a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
    ["adds null", {}, [{ op: "add", path: "/a", value: null }], { a: null }],
    ["removes a member", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
    ["removes from a list", { a: [1, 2, 3] }, [{ op: "remove", path: "/a/1" }], { a: [1, 3] }],
    ["counts negative indexes from the end", { a: [1, 2] }, [{ op: "remove", path: "/a/-1" }], { a: [1] }],
    ["replaces in a list", { a: [1, 2] }, [{ op: "replace", path: "/a/0", value: 9 }], { a: [9, 2] }],
    ["moves", { a: { b: 1 }, c: {} }, [{ op: "move", from: "/a/b", path: "/c/d" }], { a: {}, c: { d: 1 } }],
    ["copies", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    ["unescapes", { "a/b": 1, "m~n": 2 }, [{ op: "remove", path: "/a~1b" }], { "m~n": 2 }],
    [
      "tests equal lists",
      { a: [1, { b: 2 }] },
      [{ op: "test", path: "/a", value: [1, { b: 2 }] }],
      { a: [1, { b: 2 }] },
    ],
    ["tests null against an absent member", {}, [{ op: "test", path: "/a", value: null }], {}],
    ["replaces the whole document", { a: 1 }, [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
    ["replaces a member that is absent", {}, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
    ["copies an absent member as null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
    ["adds null without a value", {}, [{ op: "add", path: "/a" } as never], { a: null }],
    ["ignores text before the first slash", { b: 1 }, [{ op: "remove", path: "a/b" }], {}],
    ["treats ~01 as ~1", { "~1": 1 }, [{ op: "test", path: "/~01", value: 1 }], { "~1": 1 }],
  ])("%s", (_, object, patch, expected) => {
    expect(applyJSONPatch(object, patch)).toEqual(expected);
  });

  it.each<[string, JSONObject, unknown]>([
    ["a failed test", { a: 1 }, [{ op: "test", path: "/a", value: 2 }]],
    ["a test of an absent member", {}, [{ op: "test", path: "/a", value: 1 }]],
    ["removing an absent member", {}, [{ op: "remove", path: "/a" }]],
    ["replacing in an absent member", {}, [{ op: "replace", path: "/a/b", value: 1 }]],
    ["testing in an absent member", {}, [{ op: "test", path: "/a/b", value: null }]],
    ["a missing parent", {}, [{ op: "add", path: "/a/b", value: 1 }]],
    ["an index beyond the end", { a: [1] }, [{ op: "add", path: "/a/2", value: 1 }]],
    ["an index with a leading zero", { a: [1, 2] }, [{ op: "remove", path: "/a/01" }]],
    ["a path into a scalar", { a: 1 }, [{ op: "add", path: "/a/b", value: 1 }]],
    ["moving an absent member", {}, [{ op: "move", from: "/a", path: "/b" }]],
    ["an unknown operation", {}, [{ op: "spam", path: "/a" }]],
    ["an operation without path", {}, [{ op: "remove" }]],
    ["removing the document", {}, [{ op: "remove", path: "" }]],
    ["a document that is not an object", {}, [{ op: "replace", path: "", value: 1 }]],
  ])("rejects %s as inapplicable", (_, object, patch) => {
    expect(failureOf(() => applyJSONPatch(object, patch as JSONPatch))).toBe("inapplicable");
  });

  it("rejects anything but a list of objects as malformed", () => {
    expect(failureOf(() => applyJSONPatch({}, {} as never))).toBe("malformed");
    expect(failureOf(() => applyJSONPatch({}, ["x"] as never))).toBe("malformed");
  });

  it("rejects more than 10000 operations", () => {
    const patch: JSONPatch = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: null }));
    expect(failureOf(() => applyJSONPatch({}, patch))).toBe("too-large");
  });

  it("rejects copies that make the document too large", () => {
    const copies: JSONPatch = Array.from({ length: 30 }, (_, n) => ({
      op: "copy",
      from: "/a",
      path: `/a/c${n}`,
    }));
    expect(failureOf(() => applyJSONPatch({ a: { data: "x".repeat(1000) } }, copies))).toBe("too-large");
  });

  it("doesn't modify the object if a later operation fails", () => {
    const object = { a: 1 };
    expect(() =>
      applyJSONPatch(object, [
        { op: "remove", path: "/a" },
        { op: "remove", path: "/a" },
      ]),
    ).toThrow(PatchError);
    expect(object).toEqual({ a: 1 });
  });
});

function failureOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return error.failure;
    throw error;
  }
  return "none";
}
