/** One thing that a page has its reader do: type a command, or write a file. `at` is the page and the line. */
export type Step = { readonly at: string } & (
  | { readonly does: "run"; readonly command: string; readonly shown?: string }
  | { readonly does: "write" | "append"; readonly path: string; readonly content: string }
);

const fence = /^```(\S+)(?: \[([^\]]+)\])?(?: (append))?\n(.*?)^```$/gms;

/**
 * The steps of a page, in its order. Commands stand in blocks of `sh`, one in each line; a block of `text` after them is
 * what the last one prints. Any other block whose title is a path is that file, or is appended to it.
 */
export function readSteps(page: string, text: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const { 0: block, 1: language, 2: path, 3: append, 4: content = "", index } of text.matchAll(fence)) {
    const at = `${page}:${text.slice(0, index).split("\n").length}`;
    const last = steps.at(-1);
    if (path !== undefined) steps.push({ at, does: append ? "append" : "write", path, content });
    else if (language === "sh") {
      const commands = content.trimEnd().split("\n");
      steps.push(...commands.map((command) => ({ at, does: "run" as const, command })));
    } else if (language === "text" && last?.does === "run" && isNext(text.slice(end, index))) {
      steps[steps.length - 1] = { ...last, shown: content };
    }
    end = index + block.length;
  }
  return steps;
}

/** Whether no other text stands between two blocks. */
function isNext(between: string): boolean {
  return between.trim() === "";
}
