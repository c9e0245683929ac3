import { expect, test } from "vitest";
import { llmsFullText, llmsText } from "./pages.ts";
import { readPage } from "./pages.ts";

const page = (path: string, title: string) =>
  readPage(
    path,
    `---\ntitle: ${title}\norder: 1\n---\n\n# ${title}\n\nWhat is a [${title}](x.md)?\nThis.\n\nMore.\n`,
  );
const pages = [
  page("start.md", "Start"),
  page("guides/index.md", "Guides"),
  page("guides/a.md", "Cache"),
  page("faq.md", "Questions"),
];

test("llmsText() lists the pages of a section below its title, after the pages without one, each with its first paragraph", () => {
  expect(llmsText(pages, "https://book.example.com/")).toBe(
    [
      "# tsbuilder",
      "",
      "> Kubernetes operators in TypeScript",
      "",
      "- [Start](https://book.example.com/start.html): What is a Start? This.",
      "- [Questions](https://book.example.com/faq.html): What is a Questions? This.",
      "",
      "## Guides",
      "",
      "- [Guides](https://book.example.com/guides/index.html): What is a Guides? This.",
      "- [Cache](https://book.example.com/guides/a.html): What is a Cache? This.",
      "",
    ].join("\n"),
  );
});

test("llmsFullText() has the pages without their front matter", () => {
  expect(llmsFullText(pages.slice(0, 1))).toBe("# Start\n\nWhat is a [Start](x.md)?\nThis.\n\nMore.\n");
});
