import type { LeadingComments } from "../loader/index.ts";
import { readMarkdownLines } from "../markdown-lines.ts";
import { splitTags } from "../markers/jsdoc-tags.ts";
import { isMarkerLine } from "../markers/marker-line.ts";
import { deprecation, isSchemaTag } from "../markers/tag-markers.ts";

/**
 * Converts a comment to a description, with Kubernetes' rules: markers and lines that start with TODO are omitted, a
 * line that starts with `---` ends the text, and code fences are kept as they are.
 */
export function describe(comments: LeadingComments): string | undefined {
  // JSDoc documents a declaration; without it, lines of `//` do.
  const jsdoc = comments.adjacent.findLast(({ kind }) => kind === "jsdoc");
  if (jsdoc) {
    const prose = keepProse(expandLinks(splitTags(jsdoc.lines, isSchemaTag).prose));
    const parts = [prose, deprecationText(deprecation(comments))].filter((part) => part !== "");
    return parts.length > 0 ? parts.join("\n\n") : undefined;
  }
  const lines = comments.adjacent.findLast(({ kind }) => kind === "line")?.lines ?? [];
  const text = keepProse(lines.map((line) => line.text).filter((line) => !isDirective(line)));
  return text === "" ? undefined : text;
}

/** A schema has no keyword for it: like Kubernetes' own types, the description says it. */
function deprecationText(reason: string | undefined): string {
  if (reason === undefined) return "";
  return reason === "" ? "Deprecated." : `Deprecated: ${reason}`;
}

function keepProse(lines: readonly string[]): string {
  const [only = ""] = lines;
  // Most descriptions are a single line, which can't be a code block.
  if (lines.length <= 1) return isMarkerLine(only.trim()) || /^(?:---|TODO)/u.test(only) ? "" : only;
  const tidied = tidy(lines.filter((line) => !isMarkerLine(line.trim())));
  const parts = readMarkdownLines(tidied);
  const end = tidied.findIndex((line, i) => parts[i] === "text" && line.startsWith("---"));
  return tidied
    .slice(0, end === -1 ? undefined : end)
    .filter((line, i) => parts[i] !== "text" || !line.startsWith("TODO"))
    .join("\n");
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

/** An inline link is replaced with its text, outside of code blocks. */
function expandLinks(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.includes("{@"))) return lines;
  const parts = readMarkdownLines(lines);
  return lines.map((line, i) =>
    parts[i] === "text" ? line.replaceAll(link, (_, target, label) => String(label ?? target)) : line,
  );
}

const link = /\{@link(?:code|plain)?\s+([^\s|}]+)(?:(?:\s*\|\s*|\s+)([^}]+))?\}/gu;
