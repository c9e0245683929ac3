import { build } from "vitepress";
import { bookFolder, stagePages } from "./stage-pages.ts";

/** Builds the book to `dist/book`. */
export async function buildBook(): Promise<void> {
  stagePages(new Map());
  await build(bookFolder);
}
