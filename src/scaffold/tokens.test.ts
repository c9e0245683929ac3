import { expect, test } from "vitest";
import { tokenize } from "./insert.ts";

const texts = (source: string): string[] => tokenize(source).map(({ text }) => text);

test("tokenize() skips whitespace, comments and trailing commas", () => {
  expect(texts("f( /* a */ x, // b\n);")).toEqual(["f", "(", "x", ")", ";"]);
});

test("tokenize() normalizes quotes", () => {
  expect(texts(`f('it\\'s')`)).toEqual(["f", "(", `"it's"`, ")"]);
});

test.each([
  ["x = /[/]'/.test(y)", "/[/]'/"],
  ["return /`/u;", "/`/u"],
])("tokenize() reads the regular expression in %j", (source, expression) => {
  expect(texts(source)).toContain(expression);
});

test("tokenize() reads a division as one", () => {
  expect(texts("a / b / c")).toEqual(["a", "/", "b", "/", "c"]);
});

test("tokenize() reads a template as one token", () => {
  expect(texts("log(`a ${b} c`)")).toEqual(["log", "(", "`a ${b} c`", ")"]);
});

test("tokenize() returns the position of each token", () => {
  expect(tokenize("  ab")).toEqual([{ text: "ab", start: 2, end: 4 }]);
});
