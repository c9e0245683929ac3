import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeMarked, mergeTexts } from "./merge.ts";

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

describe("mergeMarked()", () => {
  test("has both sides of each conflict, and applies the other changes", () => {
    expect(mergeMarked(base, "A\nb\nX\nd\ne\n", "a\nb\nY\nd\nE\n", "new")).toEqual({
      text: "A\nb\n<<<<<<< yours\nY\n=======\nX\n>>>>>>> new\nd\nE\n",
      conflicts: [{ line: 3, ours: "X", theirs: "Y" }],
    });
  });

  test("joins changes that overlap by way of others", () => {
    expect(mergeMarked(base, "a\nB\nC\nd\ne\n", "a\nb\nx\ny\ne\n", "new").conflicts).toEqual([
      { line: 2, ours: "B\nC\nd", theirs: "b\nx\ny" },
    ]);
  });

  const lines = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 8 })
    .map((words) => words.join("\n"));

  test("finds the same conflicts whoever is who", () => {
    fc.assert(
      fc.property(lines, lines, lines, (from, one, other) => {
        const mirrored = mergeMarked(from, other, one, "").conflicts;
        expect(mergeMarked(from, one, other, "").conflicts.map(({ ours, theirs }) => [ours, theirs])).toEqual(
          mirrored.map(({ ours, theirs }) => [theirs, ours]),
        );
      }),
    );
  });

  test("leaves the user's text if the user's side is chosen and only places in conflict changed", () => {
    const { text } = mergeMarked(base, "a\nX\nc\nd\ne\n", "a\nY\nZ\nc\nd\ne\n", "new");
    expect(text.replace("<<<<<<< yours\n", "").replace(/=======[^]*>>>>>>> new\n/u, "")).toBe(
      "a\nY\nZ\nc\nd\ne\n",
    );
  });
});
