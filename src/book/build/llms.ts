import { bodyOf, isIndex, type Page } from "./pages.ts";

/**
 * The book's table of contents for language models: each page with its address and its first paragraph. Pages without a
 * section come first: further down they would seem to belong to the section before them.
 */
export function llmsText(pages: readonly Page[], address: string): string {
  const bySection = pages.toSorted((a, b) => Number(a.section !== "") - Number(b.section !== ""));
  const entries = bySection.map((page) => {
    const entry = `- [${page.title}](${address}${page.path.replace(/\.md$/, ".html")}): ${firstParagraph(page)}`;
    return isIndex(page) ? `\n## ${page.title}\n\n${entry}` : entry;
  });
  return `# tsbuilder\n\n> Kubernetes operators in TypeScript\n\n${entries.join("\n")}\n`;
}

/** All pages in one text, without their front matter. */
export function llmsFullText(pages: readonly Page[]): string {
  return pages.map(bodyOf).join("\n");
}

function firstParagraph(page: Page): string {
  const [, paragraph = ""] = bodyOf(page).split("\n\n");
  return paragraph
    .replaceAll("\n", " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim();
}
