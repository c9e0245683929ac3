import { expect, test } from "vitest";
import { readPage } from "../../src/book/build/pages.ts";
import { routesOf } from "./written-routes.ts";

const page = (path: string, follow?: string) =>
  readPage(path, `---\ntitle: A\norder: 1\n${follow ? `follow: ${follow}\n` : ""}---\n\n# A\n\nText.\n`);

test("routesOf() has one for the pages of a section that begin alike, and one for each page without a section", () => {
  const pages = [
    page("quick-start.md", "empty"),
    page("guides/a.md", "empty"),
    page("guides/b.md", "app-operator"),
    page("guides/c.md", "empty"),
    page("faq.md"),
  ];
  expect(
    routesOf(pages).map(({ name, follow, pages: own }) => [name, follow, own.map(({ path }) => path)]),
  ).toEqual([
    ["quick-start", "empty", ["quick-start.md"]],
    ["guides", "empty", ["guides/a.md", "guides/c.md"]],
    ["guides", "app-operator", ["guides/b.md"]],
  ]);
});
