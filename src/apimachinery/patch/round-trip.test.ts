import type { JSONObject } from "../json/index.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyJSONPatch, applyMergePatch, createJSONPatch, createMergePatch } from "./index.ts";

/** JSON objects without null, which a merge patch can't set. There are few keys, so that objects overlap. */
const jsonObject = fc.letrec<{ object: JSONObject }>((tie) => ({
  object: fc.dictionary(
    fc.constantFrom("a", "b", "c", "__proto__", "constructor", "x/y~z"),
    fc.oneof(
      { depthSize: "small" },
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom("", "s"),
      fc.boolean(),
      fc.array(fc.oneof(fc.integer({ min: 0, max: 2 }), tie("object")), { maxLength: 4 }),
      tie("object"),
    ),
    { maxKeys: 4, noNullPrototype: true },
  ),
})).object;

describe.each([
  ["merge patch", createMergePatch, applyMergePatch],
  ["JSON patch", createJSONPatch, applyJSONPatch],
] as const)("a %s made from two objects", (_, create, apply) => {
  it("changes the first object to the second, and doesn't modify its argument", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (from, to) => {
        const before = structuredClone(from);
        expect(apply(from, create(from, to) as never)).toEqual(to);
        expect(from).toEqual(before);
      }),
    );
  });

  it("is empty for an object and its copy", () => {
    fc.assert(
      fc.property(jsonObject, (object) => {
        expect(Object.keys(create(object, structuredClone(object)))).toEqual([]);
      }),
    );
  });
});

describe("applyMergePatch()", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (object, patch) => {
        const once = applyMergePatch(object, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
