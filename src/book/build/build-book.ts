import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { bookAddress } from "../../shared/book-address.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { readPages } from "./pages.ts";
import { bookFolder, siteFolder, stagedFolder, stagePages } from "./stage-pages.ts";
import { referencePages } from "./reference/reference-pages.ts";

/** Builds the book to `dist/book`. */
export async function buildBook(): Promise<void> {
  stagePages(await referencePages());
  await build(bookFolder);
  const pages = readPages(stagedFolder);
  writeFileSync(join(siteFolder, "llms.txt"), llmsText(pages, bookAddress));
  writeFileSync(join(siteFolder, "llms-full.txt"), llmsFullText(pages));
}
