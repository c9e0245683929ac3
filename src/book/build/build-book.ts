import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { bookAddress } from "../../shared/book-address.ts";
import type { Page } from "./pages.ts";
import { bodyOf, bookFolder, isIndex, readPages, siteFolder, stagePages, stagedFolder } from "./pages.ts";
import { referencePages } from "./reference/reference-pages.ts";

/** Builds the site in `siteFolder`, with the texts for language models. */
export async function buildBook(): Promise<void> {
  stagePages(await referencePages());
  await build(bookFolder);
  const pages = readPages(stagedFolder);
  writeFileSync(join(siteFolder, "llms.txt"), llmsText(pages, bookAddress));
  writeFileSync(join(siteFolder, "llms-full.txt"), llmsFullText(pages));
}

/**
 * Writes the book's table of contents for language models: each page with its address and its first paragraph. Pages without
 * a section come first, since further down they would seem to belong to the section before them.
 */
export function llmsText(pages: readonly Page[], address: string): string {
  const topPagesFirst = pages.toSorted((a, b) => Number(a.section !== "") - Number(b.section !== ""));
  const entries = topPagesFirst.map((page) => {
    const entry = `- [${page.title}](${address}${page.path.replace(/\.md$/, ".html")}): ${firstParagraph(page)}`;
    return isIndex(page) ? `\n## ${page.title}\n\n${entry}` : entry;
  });
  return `# tsbuilder\n\n> Kubernetes operators in TypeScript\n\n${entries.join("\n")}\n`;
}

/** Joins all pages into one text, without their front matter. */
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
