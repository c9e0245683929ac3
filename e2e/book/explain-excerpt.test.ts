import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBlocks } from "./check-book.ts";
import { readPages } from "../../src/book/build/pages.ts";
import { repository } from "../support/source-imports.ts";
import { explainExcerpt } from "./explain-excerpt.ts";

// Pages whose front matter says "shows: e2e/golden/NAME" quote files of that project.

const pages = readPages(join(repository, "src/book")).map((page) => ({
  ...page,
  files: readBlocks(page.path, page.text).filter(({ path }) => path !== undefined),
}));

const excerpts = pages.flatMap(({ shows, files }) =>
  files.flatMap(({ at, path = "", content: code }) =>
    shows === undefined ? [] : [{ title: `${at} shows ${path}`, file: join(repository, shows, path), code }],
  ),
);

test("a page that shows files of a project says of which, or is followed", () => {
  expect(excerpts.length).toBeGreaterThan(10);
  const unknown = pages.filter(
    ({ shows, follow, files }) => shows === undefined && follow === undefined && files.length > 0,
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

test.each(["", "\n", "// …\n", "// …\n\n// …\n"])(
  "an excerpt without a line of the file, %j, is explained",
  (excerpt) => {
    expect(explainExcerpt(excerpt, file)).toBe("the excerpt has no line of the file");
  },
);
