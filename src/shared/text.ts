// The text of messages: suggestions for slips, lines of source with a caret, lists, words for a shell, line ends.

import type { Position } from "./errors.ts";

/** Finds the name that was probably meant: the closest one, if a third of the letters or fewer differ. */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(Math.max(written.length, 3) / 3) + 1;
  for (const name of known) {
    if (name.toLowerCase() === written.toLowerCase()) return name;
    if (Math.abs(name.length - written.length) >= bestDistance) continue;
    const distance = editDistance(written, name, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Counts insertions, deletions, replacements and swaps of neighbours; gives up once the distance reaches `limit`. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) distance = Math.min(distance, beforeLast[j - 2]! + 1);
      row.push(distance);
    }
    if (Math.min(...row) >= limit) return limit;
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}

/** Turns an offset into a position; lines and columns count from 1. */
export function positionAt(file: string, text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { file, line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** The characters of a long line that a code frame shows before and behind the column. */
const shownBefore = 120;
const shownBehind = 80;
const shortLine = shownBefore + shownBehind;

/** Shows a line of source with its number, and a caret below the column. */
export function codeFrame(text: string, { line, column }: Pick<Position, "line" | "column">): string {
  const source = (text.split("\n")[line - 1] ?? "").replace(/\r$/u, "");
  // A long line, as in a file without line breaks, is cut around the column.
  const start = Math.max(0, column - shownBefore);
  const end = Math.max(shortLine, column + shownBehind);
  const before = `${start > 0 ? "…" : ""}${source.slice(start, column - 1)}`;
  const behind = `${source.slice(column - 1, end)}${end < source.length ? "…" : ""}`;
  const number = `${line} | `;
  // Tabs remain below the line, so that the caret is under its character whatever their width.
  const indent = before.replace(/[^\t]/gu, " ");
  return `${number}${before}${behind}\n${" ".repeat(number.length - 2)}| ${indent}^`;
}

const maxShown = 80;

/** Cuts off a long value, for a message that shows it. */
export function shorten(value: string): string {
  return value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
}

/** Joins words for a sentence: `a, b or c`. */
export function listWords(words: readonly string[], conjunction = "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}`;
}

/** Writes a word so that a shell takes it as one. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Makes a sentence of words: with a capital, and a full stop unless they end with a mark. */
export function sentence(words: string): string {
  const start = `${words[0]!.toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/u.test(start) ? start : `${start}.`;
}

/** `1 object`, `2 objects`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** Converts a text to Windows' line ends if the model has no others, as in a checkout by git that converts them. */
export function withLineEndsOf(model: string, text: string): string {
  return model.includes("\r\n") && !/(?:^|[^\r])\n/u.test(model) ? text.replaceAll(/\r?\n/gu, "\r\n") : text;
}

export function withPlainLineEnds(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}
