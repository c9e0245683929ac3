import { readBlocks } from "./check-book.ts";

/** A program with its arguments, as a page shows it at a prompt. `at` is the page and the line of its block. */
export interface ShownCommand {
  readonly at: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** The content of a `console` block: the commands typed at its prompts, and their output. */
export interface Dialogue {
  readonly at: string;
  readonly typed: readonly string[];
  readonly shown: string;
}

const typedLine = /^\$ ((?:.*\\\n)*.+)(?:\n|$)/gm;

/** The `console` blocks of a page. A line that begins with `$ ` is typed, and so is what follows a `\` at its end. */
export function readDialogues(page: string, text: string): Dialogue[] {
  return readBlocks(page, text)
    .filter(({ language }) => language === "console")
    .map(({ at, content }) => ({
      at,
      typed: [...content.matchAll(typedLine)].map(([, line = ""]) => line.replaceAll(/\\\n\s*/g, "")),
      shown: content.replaceAll(typedLine, ""),
    }));
}

/** The commands that a page's `console` blocks type, those joined by `&&` or a pipe one by one. */
export function readConsole(page: string, text: string): ShownCommand[] {
  return readDialogues(page, text).flatMap(({ at, typed }) => typed.flatMap((line) => readLine(line, at)));
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
