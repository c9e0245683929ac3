import { commentTextLines } from "../../shared/source-text.ts";

/** Returns whether a comment can hold a description so that it is read back unchanged. */
export function isWritable(description: string | undefined): boolean {
  if (description === undefined) return true;
  const lines = description.split("\n");
  const isKept = lines.every((line) => !/^(?:\+[A-Za-z]|TODO|---)|[ \t]$/u.test(line));
  return isKept && description.trim() === description && !/\n\n\n|[\r\u2028\u2029]/u.test(description);
}

/** Formats a description and markers as the comment above a declaration; empty if there are none. */
export function commentLines(
  description: string | undefined,
  markers: readonly string[],
  indent: string,
): string {
  const text = description === undefined ? [] : commentTextLines(description).map(hideMarker);
  const lines = [...text, ...markers];
  if (lines.length === 0) return "";
  // The text would end a block comment early, or contains what looks like a tag.
  const needsLines = lines.some((line) => line.includes("*/") || /(?:^|\s)@/u.test(line));
  if (needsLines) return lines.map((line) => `${`${indent}// ${line}`.trimEnd()}\n`).join("");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${`${indent} * ${line}`.trimEnd()}\n`);
  return `${indent}/**\n${body.join("")}${indent} */\n`;
}

/** A description that looks like a marker must not act as one: it could grant permissions. */
function hideMarker(line: string): string {
  return line.replace(/^(\s*)\+(?=[A-Za-z])/u, "$1\\+");
}
