import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeTexts } from "./merge-texts.ts";

const base = "a\nb\nc\nd\ne\n";

describe("mergeTexts()", () => {
  test("applies both changes if they do not overlap", () => {
    expect(mergeTexts(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")).toBe("A\nb\nc\nd\nE\n");
  });

  test("applies a change once if both made it", () => {
    expect(mergeTexts(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\nE\n")).toBe("a\nX\nc\nd\nE\n");
  });

  test("returns undefined if both changed the same line differently", () => {
    expect(mergeTexts(base, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n")).toBeUndefined();
  });

  test("returns undefined if one deleted what the other changed", () => {
    expect(mergeTexts(base, "a\ne\n", "a\nb\nC\nd\ne\n")).toBeUndefined();
  });

  const lines = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 8 })
    .map((words) => words.join("\n"));

  test("returns the other side's text if one side changed nothing", () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        expect(mergeTexts(one, other, one)).toBe(other);
        expect(mergeTexts(one, one, other)).toBe(other);
      }),
    );
  });
});
