import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The book's own folder. */
export const bookFolder = join(import.meta.dirname, "..");

/** The repository's. */
export const repository = join(bookFolder, "../..");

/** Where the pages stand together that are written and those that are made from the code. */
export const stagedFolder = join(repository, "dist/book-pages");

/** Where the built book goes. */
export const siteFolder = join(repository, "dist/book");

/** Copies the written pages, and writes the made ones beside them. */
export function stagePages(made: ReadonlyMap<string, string>): void {
  rmSync(stagedFolder, { recursive: true, force: true });
  cpSync(bookFolder, stagedFolder, {
    recursive: true,
    filter: (path) => ![".vitepress", "build"].includes(relative(bookFolder, path).split(sep)[0]!),
  });
  for (const [path, text] of made) {
    const file = join(stagedFolder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replace("---\n", "---\neditLink: false\n"));
  }
}
