/** One line of a comment without its decoration; `pos` is where its text starts in the file. */
interface CommentLine {
  readonly text: string;
  readonly pos: number;
}

/** A run of `//` lines without a gap, or one block comment. */
export interface CommentBlock {
  readonly kind: "line" | "jsdoc" | "block";
  readonly pos: number;
  readonly end: number;
  readonly lines: readonly CommentLine[];
}

/** The comments above a declaration or member. */
export interface LeadingComments {
  /** The block directly above, without a blank line: the documentation. */
  readonly adjacent: readonly CommentBlock[];
  /** The block before it, after a blank line: its markers still count. */
  readonly detached: CommentBlock | undefined;
}

/** A range in which `//` does not start a comment: a string, a template, a regular expression. */
export type LiteralRange = readonly [start: number, end: number];

/** All comments of a file, in order. */
export interface Comments {
  /** Comments at the start of a line; JSDoc also after code, for members on one line. */
  readonly blocks: readonly CommentBlock[];
  /** Comments after code: each is about its line, and no documentation. */
  readonly trailing: readonly CommentBlock[];
}

/** Finds the comments in a text. `literals` are the ranges in which there are none, in order. */
export function findComments(text: string, literals: readonly LiteralRange[]): Comments {
  const blocks: CommentBlock[] = [];
  const trailing: CommentBlock[] = [];
  const finder = /\/\/|\/\*/gu;
  let nextLiteral = 0;
  for (let match = finder.exec(text); match; match = finder.exec(text)) {
    while (nextLiteral < literals.length && literals[nextLiteral]![1] <= match.index) nextLiteral++;
    const literal = literals[nextLiteral];
    if (literal && literal[0] <= match.index) {
      finder.lastIndex = literal[1];
      continue;
    }
    const comment =
      match[0] === "//" ? readLineComment(text, match.index) : readBlockComment(text, match.index);
    finder.lastIndex = Math.max(comment.end, match.index + 2);
    if (comment.kind !== "jsdoc" && !beginsLine(text, comment.pos)) {
      trailing.push(comment);
      continue;
    }
    const last = blocks.at(-1);
    if (
      last?.kind === "line" &&
      comment.kind === "line" &&
      /^\r?\n[ \t]*$/u.test(text.slice(last.end, comment.pos))
    ) {
      blocks[blocks.length - 1] = { ...last, end: comment.end, lines: [...last.lines, ...comment.lines] };
    } else blocks.push(comment);
  }
  return { blocks, trailing };
}

/** Selects the comments above a node: `from` is the end of the previous token, `start` the start of the node's text. */
export function leadingComments(
  text: string,
  blocks: readonly CommentBlock[],
  from: number,
  start: number,
): LeadingComments {
  const first = findFirstAt(blocks, from);
  let last = findFirstAt(blocks, start) - 1;
  while (last >= first && blocks[last]!.end > start) last--;
  const adjacent: CommentBlock[] = [];
  let below = start;
  for (; last >= first; last--) {
    const block = blocks[last]!;
    if (hasBlankLine(text, block.end, below)) break;
    // A comment after code of an earlier line belongs to that line.
    if (!beginsLine(text, block.pos) && text.slice(block.end, start).includes("\n")) continue;
    adjacent.unshift(block);
    below = block.pos;
  }
  return { adjacent, detached: last >= first ? blocks[last] : undefined };
}

/** Finds the index of the first block at or behind a position, by binary search: a file has many members. */
function findFirstAt(blocks: readonly CommentBlock[], pos: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.pos < pos) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readLineComment(text: string, pos: number): CommentBlock {
  let end = text.indexOf("\n", pos);
  if (end === -1) end = text.length;
  const indent = text[pos + 2] === " " ? 3 : 2;
  return {
    kind: "line",
    pos,
    end,
    lines: [{ text: text.slice(pos + indent, end).trimEnd(), pos: pos + indent }],
  };
}

function readBlockComment(text: string, pos: number): CommentBlock {
  const close = text.indexOf("*/", pos + 2);
  const end = close === -1 ? text.length : close + 2;
  const isJsdoc = text.startsWith("/**", pos) && end - pos > 4;
  const lines: CommentLine[] = [];
  let at = pos + (isJsdoc ? 3 : 2);
  for (const line of text.slice(at, close === -1 ? end : close).split("\n")) {
    const decoration = lines.length === 0 ? /^ ?/u.exec(line)![0] : /^\s*(?:\* ?)?/u.exec(line)![0];
    lines.push({ text: line.slice(decoration.length).trimEnd(), pos: at + decoration.length });
    at += line.length + 1;
  }
  return { kind: isJsdoc ? "jsdoc" : "block", pos, end, lines };
}

function beginsLine(text: string, pos: number): boolean {
  return text.slice(text.lastIndexOf("\n", pos - 1) + 1, pos).trim() === "";
}

function hasBlankLine(text: string, end: number, start: number): boolean {
  const first = text.indexOf("\n", end);
  const second = first === -1 ? -1 : text.indexOf("\n", first + 1);
  if (second === -1 || second >= start) return false;
  return /\n[ \t\r]*\n/u.test(text.slice(end, start));
}
