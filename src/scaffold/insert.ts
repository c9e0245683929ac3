import { TsbuilderError } from "../shared/errors.ts";
import type { Insert } from "./blueprint.ts";
import { findInsert } from "./find-insert.ts";

/**
 * Inserts lines above their marker, unless the text already contains them in any formatting. `later` are the inserts
 * that belong after it at the same marker, so that the order does not depend on the order of commands: a project made
 * step by step equals one made at once.
 */
export function insertLines(text: string, insert: Insert, later: readonly Insert[] = []): string {
  if (findInsert(text, insert)) return text;
  const marker = findMarker(text, insert);
  if (!marker) throw missingMarker(insert);
  const following = later
    .map((other) => findInsert(text, other))
    .find((place) => place && place.end <= marker.start);
  const at = following?.start ?? marker.start;
  const lines = insert.text.split("\n").map((line) => (line === "" ? line : marker.indent + line));
  return `${text.slice(0, at)}${lines.join("\n")}\n${text.slice(at)}`;
}

/** Removes inserted lines; lines that were deleted or edited are left alone. */
export function removeLines(text: string, insert: Insert): string {
  const place = findInsert(text, insert);
  if (!place) return text;
  return text.slice(0, place.start) + (place.rest ?? "") + text.slice(place.end);
}

/** Returns whether a text contains the marker of an insert. */
export function hasMarker(text: string, insert: Pick<Insert, "file" | "marker">): boolean {
  return findMarker(text, insert) !== undefined;
}

/** The marker comment, in the language of the file. */
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
