import { build } from "vitepress";
import { referencePages } from "./reference/reference-pages.ts";
import { bookFolder, stagePages } from "./stage-pages.ts";

/** Builds the book to `dist/book`. */
export async function buildBook(): Promise<void> {
  stagePages(await referencePages());
  await build(bookFolder);
}
