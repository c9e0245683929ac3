import type { Insert } from "./blueprint.ts";
import { findTokens, tokenize } from "./tokens.ts";

/** The range of inserted lines: whole lines, including the last line break. */
export interface InsertPlace {
  readonly start: number;
  readonly end: number;
  /** What remains when the insert is removed: other names of the same import. */
  readonly rest?: string;
}

/** Finds inserted lines by their syntax, ignoring differences in quotes, whitespace, line breaks and comments. */
export function findInsert(text: string, insert: Insert): InsertPlace | undefined {
  if (/\.ya?ml$/u.test(insert.file)) return findYaml(text, insert.text);
  return findStatement(text, insert.text) ?? findImport(text, insert.text);
}

function findStatement(source: string, wanted: string): InsertPlace | undefined {
  const tokens = tokenize(source);
  const sought = tokenize(wanted);
  // Comments alone, of which nothing is left, would be found everywhere.
  if (sought.length === 0) return undefined;
  const at = findTokens(tokens, sought);
  if (at === -1) return undefined;
  return wholeLines(source, tokens[at]!.start, tokens[at + sought.length - 1]!.end);
}

/** An import is also found if its names are part of another import from the same module. */
function findImport(source: string, wanted: string): InsertPlace | undefined {
  const sought = importPattern.exec(wanted)?.groups;
  if (!sought) return undefined;
  for (const match of source.matchAll(new RegExp(importPattern, "gmu"))) {
    const { names = "", from, head = "" } = match.groups!;
    if (from !== sought["from"]) continue;
    const present = splitNames(names);
    const rest = present.filter((name) => !splitNames(sought["names"]!).includes(name));
    if (present.length - rest.length < splitNames(sought["names"]!).length) continue;
    const place = wholeLines(source, match.index, match.index + match[0].length);
    return { ...place, rest: `${head} { ${rest.join(", ")} } from "${from}";\n` };
  }
  return undefined;
}

const importPattern =
  /^(?<head>import(?:\s+type)?)\s*\{(?<names>[^}]*)\}\s*from\s*["'](?<from>[^"']+)["'];?/mu;

function splitNames(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** YAML lines are compared without indentation, quotes and comments. */
function findYaml(text: string, wanted: string): InsertPlace | undefined {
  const sought = wanted
    .split("\n")
    .map(normalizeYaml)
    .filter((line) => line !== "");
  if (sought.length === 0) return undefined;
  const lines = text.split("\n");
  const starts = lines.map(lineStarts());
  const relevant = lines
    .map((line, i) => ({ line: normalizeYaml(line), i }))
    .filter(({ line }) => line !== "");
  for (let at = 0; at + sought.length <= relevant.length; at++) {
    if (!sought.every((line, i) => relevant[at + i]!.line === line)) continue;
    const last = relevant[at + sought.length - 1]!.i;
    return { start: starts[relevant[at]!.i]!, end: starts[last]! + lines[last]!.length + 1 };
  }
  return undefined;
}

function lineStarts(): (line: string) => number {
  let offset = 0;
  return (line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  };
}

function normalizeYaml(line: string): string {
  return line
    .replace(/(?:^|\s)#.*$/u, "")
    .replaceAll(/["']/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function wholeLines(source: string, start: number, end: number): InsertPlace {
  const lineStart = source.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = source.indexOf("\n", end);
  return { start: lineStart, end: lineEnd === -1 ? source.length : lineEnd + 1 };
}
