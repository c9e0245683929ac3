import { readBlocks } from "../../src/book/build/blocks.ts";

/** A program with its arguments, as a page shows it at a prompt. `at` is the page and the line of its block. */
export interface ShownCommand {
  readonly at: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** The commands in a page's `console` blocks: lines that begin with `$ `, each with those joined by `&&` or a pipe. */
export function readConsole(page: string, text: string): ShownCommand[] {
  return readBlocks(page, text)
    .filter(({ language }) => language === "console")
    .flatMap(({ at, content }) =>
      [...content.matchAll(/^\$ (.+)$/gm)].flatMap(([, line = ""]) => readLine(line, at)),
    );
}

function readLine(line: string, at: string): ShownCommand[] {
  const commands: string[][] = [[]];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (word === "&&" || word === "|") commands.push([]);
    else commands.at(-1)!.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands.map((words) => {
    const [program = "", ...args] = words[0] === "npx" ? words.slice(1) : words;
    return { at, program, args };
  });
}
