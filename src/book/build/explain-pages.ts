import { readBlocks } from "./blocks.ts";
import type { Page } from "./pages.ts";

/** A sentence for each block of a page that can't be read, or whose commands no test would run. */
export function explainPages(pages: readonly Page[]): string[] {
  return pages.flatMap((page) => {
    try {
      return readBlocks(page.path, page.text)
        .filter(({ language }) => language === "sh" && page.follow === undefined)
        .map(({ at }) => `${at}: no test runs this command: write "follow: empty", or "console" if none can`);
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** How many commands of each page a test runs, and how many are only read. */
export function countCommands(pages: readonly Page[]): string[] {
  return pages.map(({ path, text }) => {
    const count = (wanted: string, line: RegExp): number =>
      readBlocks(path, text)
        .filter(({ language }) => language === wanted)
        .reduce((sum, { content }) => sum + (content.match(line)?.length ?? 0), 0);
    return `${path}: ${count("sh", /^.+$/gm)} commands run, ${count("console", /^\$ /gm)} only read`;
  });
}
