import type { JSONObject } from "../json/index.ts";
import { describe, expect, it } from "vitest";
import { applyMergePatch, createMergePatch } from "./index.ts";

describe("createMergePatch()", () => {
  it("is empty for equal objects, whatever the order of their members", () => {
    expect(createMergePatch({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual({});
  });

  it("has only what differs", () => {
    const from = { metadata: { labels: { a: "1", b: "2" } }, spec: { replicas: 1, list: [1, 2] } };
    const to = { metadata: { labels: { b: "3" } }, spec: { replicas: 1, list: [1] } };
    expect(createMergePatch(from, to)).toEqual({
      metadata: { labels: { a: null, b: "3" } },
      spec: { list: [1] },
    });
  });

  it("treats an undefined member as absent", () => {
    expect(createMergePatch({ a: 1 }, { a: undefined, b: undefined })).toEqual({ a: null });
  });

  it("adds an empty object", () => {
    expect(createMergePatch({}, { status: {} })).toEqual({ status: {} });
  });
});

describe("applyMergePatch()", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("follows RFC 7386: %j patched with %j is %j", (object, patch, expected) => {
    expect(applyMergePatch(object as JSONObject, patch as JSONObject)).toEqual(expected);
  });

  it("rejects a patch that is not an object", () => {
    expect(() => applyMergePatch({}, [])).toThrow("error decoding patch: json: cannot unmarshal array");
    expect(() => applyMergePatch({}, null)).toThrow("Invalid JSON Patch");
  });

  it("can't change the prototype of an object", () => {
    const patched = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}') as JSONObject);
    expect(Object.keys(patched)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
