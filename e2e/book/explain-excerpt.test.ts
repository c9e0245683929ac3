import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/source-imports.ts";
import { explainExcerpt } from "./explain-excerpt.ts";

// Pages whose front matter says "shows: e2e/golden/NAME" quote files of that project.

const book = join(repository, "src/book");
const pages = readdirSync(book, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(join(book, path), "utf8") }));

const excerpts = pages.flatMap(({ path, text }) => {
  const shown = /^---\n.*?^shows: (\S+)$.*?^---$/ms.exec(text)?.[1];
  if (shown === undefined) return [];
  return [...text.matchAll(/^```\w+ \[([^\]]+)\]\n(.*?)^```$/gms)].map(({ 1: file = "", 2: code = "" }) => ({
    title: `${path} shows ${file}: ${code.split("\n")[0]}`,
    file: join(repository, shown, file),
    code,
  }));
});

test("a page that shows files of a project says of which, or is followed", () => {
  expect(excerpts.length).toBeGreaterThan(10);
  // The tutorial is followed as a whole.
  const others = pages.filter(({ path }) => !path.startsWith("cronjob-tutorial"));
  const unknown = others.filter(
    ({ text }) => /^```\w+ \[[^\]]+\]/m.test(text) && !/^---\n.*?^(?:shows|follow): .*?^---$/ms.test(text),
  );
  expect(unknown.map(({ path }) => path)).toEqual([]);
});

test.each(excerpts)("$title", ({ file, code }) => {
  expect(explainExcerpt(code, readFileSync(file, "utf8"))).toBeUndefined();
});

const file = "class A {\n  first() {\n\n    return 1;\n  }\n  second() {}\n}\n";

test.each([
  ["indented less", "first() {\n\n  return 1;\n}\n"],
  ["with lines left out", "class A {\n  // …\n  second() {}\n"],
])("lines of the file, %s, are an excerpt", (_, excerpt) => {
  expect(explainExcerpt(excerpt, file)).toBeUndefined();
});

test.each([
  ["other text", "first() {\n\n  return 2;\n}\n"],
  ["another order", "second() {}\n// …\nfirst() {\n"],
  ["a line that ends in it only", "A {\n"],
])("%s is explained", (_, excerpt) => {
  expect(explainExcerpt(excerpt, file)).toContain("the file does not have these lines");
});
