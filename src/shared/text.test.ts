import { describe, expect, it } from "vitest";
import { codeFrame, count, didYouMean, editDistance, listWords, positionAt, sentence } from "./text.ts";

describe("didYouMean()", () => {
  const known = ["optional", "required", "nullable", "listType"];

  it.each([
    ["optionl", "optional"],
    ["Required", "required"],
    ["listtype", "listType"],
    ["lsitType", "listType"],
  ])("takes %s for %s", (written, meant) => {
    expect(didYouMean(written, known)).toBe(meant);
  });

  it("has no idea when nothing is close", () => {
    expect(didYouMean("genclient", known)).toBeUndefined();
  });
});

describe("editDistance()", () => {
  it("counts a swap of neighbours once", () => {
    expect(editDistance("abcd", "abdc")).toBe(1);
    expect(editDistance("kitten", "sitting")).toBe(3);
    expect(editDistance("", "abc")).toBe(3);
  });
});

describe("count()", () => {
  it.each([
    [0, "0 samples"],
    [1, "1 sample"],
    [2, "2 samples"],
  ])("says %d with the right number", (number, said) => {
    expect(count(number, "sample")).toBe(said);
  });
});

describe("codeFrame()", () => {
  it("puts a caret below the column, tabs and all", () => {
    const text = "one\n\ttwo three\n";
    const at = positionAt("x.ts", text, text.indexOf("three"));
    expect(at).toEqual({ file: "x.ts", line: 2, column: 6 });
    expect(codeFrame(text, at)).toBe("2 | \ttwo three\n  | \t    ^");
  });

  it.each([1, 100, 5000, 9999])("shows what is near column %i of a line of 10,000 characters", (column) => {
    const line = `${"-".repeat(column - 1)}X${"-".repeat(10_000 - column)}`;
    const [source = "", caret = ""] = codeFrame(line, { line: 1, column }).split("\n");
    expect(source[caret.indexOf("^")]).toBe("X");
    expect(source.length).toBeLessThan(260);
    expect([source.includes("| …"), source.endsWith("…")]).toEqual([column > 120, column < 9920]);
  });
});

describe("listWords()", () => {
  it("joins words as a sentence does", () => {
    expect(listWords(["a"])).toBe("a");
    expect(listWords(["a", "b"], "and")).toBe("a and b");
    expect(listWords(["a", "b", "c"])).toBe("a, b or c");
  });
});

describe("sentence()", () => {
  it("begins with a capital and ends once", () => {
    expect([sentence("show help"), sentence("really?")]).toEqual(["Show help.", "Really?"]);
  });
});
