import { describe, expect, test } from "vitest";
import { readPage, sidebarOf } from "./pages.ts";

const page = (path: string, order: number, title = path) =>
  readPage(path, `---\ntitle: ${title}\norder: ${order}\n---\n\n# ${title}\n\nText\n`);

describe("readPage()", () => {
  test("reads section, title, order, where the commands run and whose files are shown", () => {
    const text = "---\ntitle: Metrics\norder: 3\nfollow: empty\nshows: e2e/golden/a\n---\n\n# Metrics\n";
    expect(readPage("guides/metrics.md", text)).toEqual({
      path: "guides/metrics.md",
      section: "guides",
      title: "Metrics",
      order: 3,
      follow: "empty",
      shows: "e2e/golden/a",
      text,
    });
  });

  test.each([
    ["# Metrics\n", "a page begins with front matter"],
    ["---\ntitle: Metrics\n---\n\n# Metrics\n", '"order: 3"'],
    ["---\ntitle: Metrics\norder: 3\n---\n\n# Other\n", 'the heading is "Other", but the title "Metrics"'],
    ["---\ntitle: Metrics\norder: 3\nfollow: [a]\n---\n\n# Metrics\n", '"follow: empty"'],
    [
      "---\ntitle: Metrics\norder: 3\nshows: [a]\n---\n\n# Metrics\n",
      'metrics.md: write "shows:" and a folder',
    ],
  ])("refuses %j", (text, complaint) => {
    expect(() => readPage("metrics.md", text)).toThrow(complaint);
  });
});

test("sidebarOf() has a section's pages below its first one", () => {
  const pages = [
    page("index.md", 0, "Home"),
    page("guides/index.md", 1, "Guides"),
    page("guides/a.md", 1, "A"),
    page("guides/api/a/chapter.md", 1, "Chapter"),
  ];
  expect(sidebarOf(pages)).toEqual([
    { text: "Home", link: "/" },
    { text: "Guides", link: "/guides/", collapsed: true, items: [{ text: "A", link: "/guides/a" }] },
  ]);
});
