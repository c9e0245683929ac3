import type { Blocks } from "../../../src/apimachinery/kinds/build/model.ts";

/** Removes the lengths of the lines of descriptions, which only those of the default release need. */
export function withoutLines(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/ lines\([\d,]*\)/u, ""));
}

/** Returns the blocks of a release that differ from those of the default one, and a line for each that it lacks. */
export function differingBlocks(ofDefault: Blocks, blocks: Blocks): string[] {
  const textOf = (block: readonly string[]): string => withoutLines(block).join("\n");
  const differing = [...blocks].filter(
    ([name, block]) => textOf(block) !== textOf(ofDefault.get(name) ?? []),
  );
  const gone = [...ofDefault.keys()].filter((name) => !blocks.has(name));
  return [...differing.flatMap(([, block]) => withoutLines(block)), ...gone.map((name) => `-${name}`)];
}
