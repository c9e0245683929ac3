import { type Block, readBlocks } from "./check-book.ts";

/** One thing that a page has its reader do: type a command, or write a file. `at` is the page and the line. */
export type Step = { readonly at: string } & (
  | { readonly does: "run"; readonly command: string; readonly shown?: string }
  | { readonly does: "write" | "append"; readonly path: string; readonly content: string }
);

/** True for a command that installs tsbuilder, which is skipped where a page is followed in the checkout. */
export function installsTsbuilder(command: string): boolean {
  return command.startsWith("npm install --global");
}

/** The steps of a written page. */
export function readSteps(page: string, text: string): Step[] {
  return stepsOfBlocks(readBlocks(page, text));
}

/**
 * The steps of a page, in its order. Commands stand in blocks of `sh`, one in each line; a block of `text` after them is
 * what the last one prints. Any other block whose title is a path is that file, or is appended to it. Throws if a block can't
 * be read, or shows the output of no command: it would never be compared.
 */
export function stepsOfBlocks(blocks: readonly Block[]): Step[] {
  const steps: Step[] = [];
  for (const { at, language, path, append, content, adjacent } of blocks) {
    if (path !== undefined) steps.push({ at, does: append ? "append" : "write", path, content });
    else if (language === "sh") {
      const commands = content.trimEnd().split("\n");
      steps.push(...commands.map((command) => ({ at, does: "run" as const, command })));
    } else if (language === "text") {
      const last = steps.at(-1);
      if (last?.does !== "run" || !adjacent)
        throw new Error(`${at}: no command stands right before this output: write "console" if none is run`);
      steps[steps.length - 1] = { ...last, shown: content };
    }
  }
  return steps;
}
