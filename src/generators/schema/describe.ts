import type { LeadingComments } from "../loader/index.ts";
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

/** An inline link is replaced with its text, outside of code blocks. */
function expandLinks(lines: readonly string[]): string[] {
  let isFenced = false;
  return lines.map((line) => {
    if (/^(?:```|~~~)/u.test(line)) isFenced = !isFenced;
    return isFenced ? line : line.replaceAll(link, (_, target, label) => String(label ?? target));
  });
}

const link = /\{@link(?:code|plain)?\s+([^\s|}]+)(?:(?:\s*\|\s*|\s+)([^}]+))?\}/gu;
