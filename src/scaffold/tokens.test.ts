import { expect, test } from "vitest";
import { tokenize } from "./tokens.ts";

const texts = (source: string): string[] => tokenize(source).map(({ text }) => text);

test("tokenize() leaves out spaces and comments, and commas that close a list", () => {
  expect(texts("f( /* a */ x, // b\n);")).toEqual(["f", "(", "x", ")", ";"]);
});

test("tokenize() unifies quotes", () => {
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

test("tokenize() tells where each token stands", () => {
  expect(tokenize("  ab")).toEqual([{ text: "ab", start: 2, end: 4 }]);
});
