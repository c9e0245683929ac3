/** A block of code on a page. */
export interface Block {
  /** Page and line: `guides/metrics.md:12`. */
  readonly at: string;
  readonly language: string;
  /** The file of the reader's project that the block is, or is appended to. */
  readonly path?: string;
  readonly append: boolean;
  readonly content: string;
  /** Whether it stands right after the block before it. */
  readonly adjacent: boolean;
}

const fence = /^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2 *$/gms;
const info = /^(\w+)(?: \[([^\]]+)\]( append)?)?$/;

/** The blocks of a page. Throws if one has no language, or can't be read: nobody would compile, run or compare it. */
export function readBlocks(page: string, text: string): Block[] {
  const unread = /^[ \t>]*(?:`{3}|~{3})/m.exec(
    text.replaceAll(fence, (block) => block.replaceAll(/./g, " ")),
  );
  if (unread)
    throw new Error(
      `${page}:${lineOf(text, unread.index)}: a block has no end, or is quoted or indented: begin and end it with \`\`\` at the start of a line`,
    );
  let end = 0;
  return [...text.matchAll(fence)].map(({ 0: block, 1: indent, 3: words = "", 4: content = "", index }) => {
    const at = `${page}:${lineOf(text, index)}`;
    if (words === "")
      throw new Error(`${at}: a block has no language: write "text", or "console" for a dialogue`);
    if (indent !== "") throw new Error(`${at}: a block is indented: begin it at the start of its line`);
    const [all, language = "", path, append] = info.exec(words) ?? [];
    if (all === undefined)
      throw new Error(`${at}: a block begins with "${words}": write "ts" or "ts [src/main.ts]"`);
    const adjacent = end > 0 && text.slice(end, index).trim() === "";
    end = index + block.length;
    return {
      at,
      language,
      append: append !== undefined,
      content,
      adjacent,
      ...(path !== undefined && { path }),
    };
  });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
