import type { GoComment } from "../go/model.ts";

/**
 * Writes comments as a user of tsbuilder would: JSDoc, or lines of `//` where JSDoc would end early or see a tag. A
 * comment that is no documentation keeps its blank line.
 */
export function writeComments(
  comments: readonly GoComment[],
  more: readonly string[],
  indent: string,
): string {
  const last = comments.at(-1);
  const documented = last?.isDoc ? comments : [...comments, { isDoc: true, lines: [] }];
  return documented
    .map(({ isDoc, lines }, i) => {
      const all = i === documented.length - 1 ? [...trimmed(lines), ...more] : trimmed(lines);
      return all.length === 0 ? "" : `${writeComment(all.map(oneLine), indent)}${isDoc ? "" : "\n"}`;
    })
    .join("");
}

/** Lines without the empty ones at both ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/** Returns whether a line stays one in a comment of TypeScript. */
export const isWritable = (line: string): boolean => oneLine(line) === line;

/** Characters that end a line of TypeScript, and none of Go, become spaces. */
const oneLine = (line: string): string => line.replaceAll(/[\r\u2028\u2029]/gu, " ");

function writeComment(lines: readonly string[], indent: string): string {
  const needsLines = lines.some((line) => line.includes("*/") || line.includes("@"));
  if (needsLines) return lines.map((line) => `${`${indent}// ${line}`.trimEnd()}\n`).join("");
  const [only = ""] = lines;
  if (lines.length === 1 && only !== "") return `${indent}/** ${only} */\n`;
  const body = lines.map((line) => `${`${indent} * ${line}`.trimEnd()}\n`);
  return `${indent}/**\n${body.join("")}${indent} */\n`;
}
