import { expect, test } from "vitest";
import { freezeShared } from "./object-store.ts";

test("freezeShared() freezes everything and changes nothing", () => {
  const value = { a: [{ b: "a string that is worth sharing", c: null, d: [1, true] }], e: { f: "" } };
  const copy = structuredClone(value);
  const frozen = freezeShared(value);
  expect(frozen).toBe(value);
  expect(frozen).toEqual(copy);
  expect(() => frozen.a.push(frozen.a[0]!)).toThrow(TypeError);
  expect(() => {
    frozen.a[0]!.d[0] = 2;
  }).toThrow(TypeError);
  expect(() => {
    frozen.e.f = "x";
  }).toThrow(TypeError);
});

test("freezeShared() takes what is frozen already", () => {
  const part = Object.freeze({ text: "frozen before, and left alone" });
  expect(freezeShared({ part }).part).toBe(part);
});
