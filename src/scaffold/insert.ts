import type { Insert } from "./blueprint.ts";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Inserts lines above their marker, unless the text already contains them in any formatting. They go above those of
 * `later`, the inserts that follow at the same marker, so that the order does not depend on the order of commands. Throws
 * a TsbuilderError without the marker.
 */
export function insertLines(text: string, insert: Insert, later: readonly Insert[] = []): string {
  if (findInsert(text, insert)) return text;
  const marker = findMarker(text, insert);
  if (!marker) throw missingMarker(insert);
  const followingPlace = later
    .map((other) => findInsert(text, other))
    .find((place) => place && place.end <= marker.start);
  const at = followingPlace?.start ?? marker.start;
  const lines = insert.text.split("\n").map((line) => (line === "" ? line : marker.indent + line));
  return `${text.slice(0, at)}${lines.join("\n")}\n${text.slice(at)}`;
}

/** Removes inserted lines; those that the user has edited remain. */
export function removeLines(text: string, insert: Insert): string {
  const place = findInsert(text, insert);
  if (!place) return text;
  return text.slice(0, place.start) + (place.rest ?? "") + text.slice(place.end);
}

/** Returns whether a text contains the marker of an insert. */
export function hasMarker(text: string, insert: Pick<Insert, "file" | "marker">): boolean {
  return findMarker(text, insert) !== undefined;
}

/** Returns the comment that is a marker, in the language of the file. */
export function markerLine({ file, marker }: Pick<Insert, "file" | "marker">): string {
  return `${/\.ya?ml$/u.test(file) ? "#" : "//"} +tsbuilder:scaffold:${marker}`;
}

function findMarker(
  text: string,
  insert: Pick<Insert, "file" | "marker">,
): { start: number; indent: string } | undefined {
  const comment = markerLine(insert)
    .replaceAll(/[+/]/gu, String.raw`\$&`)
    .replace(" ", String.raw`[ \t]*`);
  const match = new RegExp(String.raw`^([ \t]*)${comment}[ \t]*\r?$`, "mu").exec(text);
  return match ? { start: match.index, indent: match[1]! } : undefined;
}

function missingMarker(insert: Insert): TsbuilderError {
  return new TsbuilderError(`"${insert.file}" no longer has the line "${markerLine(insert)}"`, {
    code: "MARKER_MISSING",
    hint: `restore the marker, or paste these lines yourself:\n\n${insert.text}\n\nand run the command again`,
    at: { file: insert.file, line: 1, column: 1 },
  });
}

/** The range of inserted lines: whole lines, including the last line break. */
export interface InsertPlace {
  readonly start: number;
  readonly end: number;
  /** The rest of the import when the insert is removed: other names from the same module. */
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
  // A comment has no tokens: it would be found everywhere.
  if (sought.length === 0) return undefined;
  const at = tokens.findIndex((_, first) => sought.every(({ text }, i) => tokens[first + i]?.text === text));
  if (at === -1) return undefined;
  return wholeLines(source, tokens[at]!.start, tokens[at + sought.length - 1]!.end);
}

/** A token of TypeScript source with its position; whitespace and comments are skipped. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const tokenPattern = new RegExp(
  [
    String.raw`(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<quoted>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
    // A template literal is one token, including its expressions; nested ones are usually balanced.
    String.raw`\x60(?:[^\x60\\]|\\[\s\S])*\x60`,
    String.raw`(?<regex>\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)`,
    String.raw`[\p{ID_Start}$_#][\p{ID_Continue}$]*`,
    String.raw`\d[\w.]*`,
    String.raw`=>|[\s\S]`,
  ].join("|"),
  "guy",
);

const closing = new Set([")", "]", "}"]);

/**
 * Splits TypeScript into tokens, well enough to find imports and statements after reformatting: quotes are normalized,
 * and trailing commas are dropped. A full parser would take longer to load than the whole command runs.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(source); match; match = tokenPattern.exec(source)) {
    const { space, quoted, regex } = match.groups as Record<string, string | undefined>;
    if (space !== undefined) continue;
    let [text] = match;
    if (regex !== undefined && !canStartRegex(tokens.at(-1))) {
      // A division, and no regular expression.
      text = "/";
      tokenPattern.lastIndex = match.index + 1;
    }
    const start = match.index;
    const token = { text: quoted === undefined ? text : unquote(quoted), start, end: tokenPattern.lastIndex };
    if (closing.has(text) && tokens.at(-1)?.text === ",") tokens.pop();
    tokens.push(token);
  }
  return tokens;
}

function unquote(quoted: string): string {
  return `"${quoted.slice(1, -1).replaceAll(String.raw`\'`, "'")}"`;
}

function canStartRegex(before: Token | undefined): boolean {
  if (!before) return true;
  if (/^(?:return|typeof|case|in|of|delete|void|throw|new|await|yield)$/u.test(before.text)) return true;
  return !/^[\p{ID_Continue}$)\]"`]/u.test(before.text);
}

const importPattern =
  /^(?<head>import(?:\s+type)?)\s*\{(?<names>[^}]*)\}\s*from\s*["'](?<from>[^"']+)["'];?/mu;

/** Finds an import, also if its names are part of another import from the same module. */
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

function splitNames(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Finds lines of YAML, ignoring indentation, quotes and comments. */
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
