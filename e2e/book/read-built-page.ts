import type { Block } from "./check-book.ts";

const block = new RegExp(
  [
    /(?:<p class="file-name"><code[^>]*>(?<path>[^<]*)<\/code>(?<append>, at its end)?<\/p>)?/,
    /<div class="language-(?<language>\w+)[^>]*>.*?<code[^>]*>(?<code>.*?)<\/code><\/pre><\/div>/,
  ]
    .map(({ source }) => source)
    .join(""),
  "gs",
);

/** The blocks of code that a reader of a built page sees, with the files that stand above them. */
export function readBuiltPage(page: string, html: string): Block[] {
  let end = 0;
  return [...html.matchAll(block)].map(({ 0: all, groups = {}, index }, number) => {
    const { path, append, language = "", code = "" } = groups;
    const adjacent = end > 0 && html.slice(end, index).trim() === "";
    end = index + all.length;
    return {
      at: `${page}, block ${number + 1}`,
      language,
      append: append !== undefined,
      content: `${textOf(code)}\n`,
      adjacent,
      ...(path !== undefined && { path: textOf(path) }),
    };
  });
}

/** Where the link at the foot of a built page leads that goes on to the next one. */
export function nextPage(html: string): string | undefined {
  return /<a [^>]*class="[^"]*pager-link next"[^>]*href="([^"]*)"/.exec(html)?.[1];
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "").replaceAll(/&([#\w]+);/g, (all, name: string) => {
    const character = entities[name];
    if (character === undefined) throw new Error(`${all} is not known: add it to the entities`);
    return character;
  });
}
