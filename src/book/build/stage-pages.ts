import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The book's own folder. */
export const bookFolder = join(import.meta.dirname, "..");

/** The folder of the repository. */
export const repository = join(bookFolder, "../..");

/** The folder in which written pages and pages made from the code are put together. */
export const stagedFolder = join(repository, "dist/book-pages");

/** The folder of the built book. */
export const siteFolder = join(repository, "dist/book");

/** Copies the written pages, and writes those made from the code beside them. */
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
