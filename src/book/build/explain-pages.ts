import { type Block, readBlocks } from "./blocks.ts";
import { bodyOf, type Page } from "./pages.ts";

/** A sentence for each page that begins without a paragraph, and for each block that can't be read or whose commands no test would run. */
export function explainPages(pages: readonly Page[]): string[] {
  return pages.flatMap((page) => {
    const beginning = /^# .*\n\n(?!#|```|\||>|- |\d+\. )\S/.test(bodyOf(page))
      ? []
      : [`${page.path}: begin the page with a paragraph, which llms.txt shows`];
    try {
      return [
        ...beginning,
        ...readBlocks(page.path, page.text).flatMap((block) => explainBlock(block, page)),
      ];
    } catch (error) {
      return [...beginning, (error as Error).message];
    }
  });
}

function explainBlock({ at, language, path }: Block, { follow }: Page): string[] {
  if (path !== undefined || !/^(?:sh|bash|shell|zsh)$/.test(language)) return [];
  if (language !== "sh") return [`${at}: no test runs "${language}": write "sh", or "console" if none can`];
  return follow === undefined
    ? [`${at}: no test runs this command: write "follow: empty", or "console" if none can`]
    : [];
}

/** How many commands of each page a test runs, and how many are only read. */
export function countCommands(pages: readonly Page[]): string[] {
  return pages.map(({ path: page, text }) => {
    const count = (wanted: string, line: RegExp): number =>
      readBlocks(page, text)
        .filter(({ language, path }) => language === wanted && path === undefined)
        .reduce((sum, { content }) => sum + (content.match(line)?.length ?? 0), 0);
    return `${page}: ${count("sh", /^.+$/gm)} commands run, ${count("console", /^\$ /gm)} only read`;
  });
}
