import type { LeadingComments } from "../loader/index.ts";
import { isMarkerLine } from "../markers/collect.ts";

/**
 * Converts a comment to a description, with Kubernetes' rules: markers and lines that start with TODO are omitted, a
 * line that starts with `---` ends the text, and code fences are kept as they are.
 */
export function describe(comments: LeadingComments): string | undefined {
  // JSDoc documents a declaration; without it, lines of `//` do.
  const jsdoc = comments.adjacent.findLast(({ kind }) => kind === "jsdoc");
  const blocks = jsdoc ? [jsdoc] : comments.adjacent.filter(({ kind }) => kind === "line").slice(-1);
  const lines = blocks.flatMap((block) => block.lines.map(({ text }) => text));
  const text = keepProse(jsdoc ? stripTags(lines) : lines.filter((line) => !isDirective(line)));
  return text === "" ? undefined : text;
}

function keepProse(lines: readonly string[]): string {
  const kept: string[] = [];
  let isFenced = false;
  for (const line of tidy(lines.filter((line) => !isMarkerLine(line.trim())))) {
    if (/^(?:```|~~~)/u.test(line)) isFenced = !isFenced;
    if (!isFenced && line.startsWith("TODO")) continue;
    if (!isFenced && line.startsWith("---")) break;
    kept.push(line);
  }
  return kept.join("\n");
}

/** Removes blank lines at both ends, and all but one between paragraphs, as Go does. */
function tidy(lines: readonly string[]): string[] {
  const kept = lines.filter((line, i) => line !== "" || (lines[i - 1] ?? "") !== "");
  while (kept.at(-1) === "") kept.pop();
  return kept;
}

/** Directives for linters and the compiler are not documentation. */
function isDirective(line: string): boolean {
  return /^(?:eslint|oxlint|biome|prettier|tslint|deno|@ts|istanbul|c8|v8|#region|#endregion|nolint|\/ <)[-:#\s]?/u.test(
    line,
  );
}

/** Block tags are for tools, and an inline link is replaced with its text. */
function stripTags(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let isFenced = false;
  let isTag = false;
  for (const line of lines) {
    if (/^(?:```|~~~)/u.test(line)) isFenced = !isFenced;
    if (!isFenced && /^@[a-zA-Z]/u.test(line)) isTag = true;
    else if (isMarkerLine(line.trim())) isTag = false;
    if (!isTag)
      kept.push(isFenced ? line : line.replaceAll(link, (_, target, label) => String(label ?? target)));
  }
  return kept;
}

const link = /\{@link(?:code|plain)?\s+([^\s|}]+)(?:(?:\s*\|\s*|\s+)([^}]+))?\}/gu;
