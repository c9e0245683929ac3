import type { Position } from "../../shared/errors.ts";
import type { Dockerfile } from "./bundle.ts";

/** The labels that a Dockerfile sets, each with its position. */
export function readLabels(file: string, text: string): Dockerfile {
  const labels = new Map<string, { value: string; at: Position }>();
  let isLabel = false;
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (/^\s*#/u.test(line)) continue;
    const start: string | undefined = isLabel ? undefined : /^\s*LABEL\s+/iu.exec(line)?.[0];
    if (isLabel || start !== undefined) {
      const offset = start?.length ?? 0;
      for (const match of line.slice(offset).matchAll(assignment)) {
        const [, key = "", value = ""] = match;
        const at = { file, line: index + 1, column: offset + match.index + 1 };
        labels.set(unquote(key), { value: unquote(value), at });
      }
    }
    isLabel = (isLabel || start !== undefined) && /\\\s*$/u.test(line);
  }
  return { labels, at: { file, line: 1, column: 1 } };
}

const word = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'=\\]+`;
const assignment = new RegExp(`(${word})=((?:${word})?)`, "gu");

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/gu, "$1") : text;
}
