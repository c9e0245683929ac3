/** From the comments above a declaration to its markers and its description, and from markers to the schema. */

import type { LeadingComments, Module } from "../loader/index.ts";
import { readMarkdownLines } from "../model/markdown.ts";
import { deprecation, isSchemaTag, splitTags, tagMarkers } from "../markers/jsdoc-tags.ts";
import { isMarkerLine } from "../markers/parse-marker.ts";
import { type Marker, asWritten, warnOfLostMarkers } from "../markers/collect.ts";
import type { SchemaSources } from "./builder.ts";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import type { MarkerTarget } from "../markers/definition.ts";
import { type Schema, originKey, rulePlaces } from "../model/schema.ts";

/** Returns the markers of a type or field, with those that are written as JSDoc tags. Reports tags that are wrong. */
export function markersOn(
  comments: LeadingComments,
  target: "type" | "field",
  module: Module,
  sources: SchemaSources,
): readonly Marker[] {
  const written = sources.markersOf(module).on(comments);
  const tags = tagMarkers(comments, target, module, sources.log);
  if (tags.length === 0) return written;
  const all = [...written, ...tags];
  warnOfLostMarkers(all, sources.log);
  return all;
}

/**
 * Converts a comment to a description, with Kubernetes' rules: markers and lines that start with TODO are omitted, a
 * line that starts with `---` ends the text, and code fences are kept as they are. Undefined without any text.
 */
export function readDescription(comments: LeadingComments): string | undefined {
  // JSDoc documents a declaration; without it, lines of `//` do.
  const jsdoc = comments.adjacent.findLast(({ kind }) => kind === "jsdoc");
  if (jsdoc) {
    const prose = keepProse(expandLinks(splitTags(jsdoc.lines, isSchemaTag).prose));
    const parts = [prose, deprecationText(deprecation(comments))].filter((part) => part !== "");
    return parts.length > 0 ? parts.join("\n\n") : undefined;
  }
  const lines = comments.adjacent.findLast(({ kind }) => kind === "line")?.lines ?? [];
  const text = keepProse(lines.map((line) => line.text).filter((line) => !directive.test(line)));
  return text === "" ? undefined : text;
}

/** A directive for a linter or the compiler, which is no documentation. */
const directive =
  /^(?:eslint|oxlint|biome|prettier|tslint|deno|@ts|istanbul|c8|v8|#region|#endregion|nolint|\/ <)[-:#\s]?/u;

/** Writes a deprecation as part of the description, as Kubernetes does: a schema has no keyword for it. */
function deprecationText(reason: string | undefined): string {
  if (reason === undefined) return "";
  return reason === "" ? "Deprecated." : `Deprecated: ${reason}`;
}

function keepProse(lines: readonly string[]): string {
  const [first = ""] = lines;
  // Most descriptions are a single line, which can't be a code block.
  if (lines.length <= 1) return isMarkerLine(first.trim()) || /^(?:---|TODO)/u.test(first) ? "" : first;
  const prose = removeExtraBlanks(lines.filter((line) => !isMarkerLine(line.trim())));
  const parts = readMarkdownLines(prose);
  const end = prose.findIndex((line, i) => parts[i] === "text" && line.startsWith("---"));
  return prose
    .slice(0, end === -1 ? undefined : end)
    .filter((line, i) => parts[i] !== "text" || !line.startsWith("TODO"))
    .join("\n");
}

/** Removes blank lines at both ends, and all but one between paragraphs, as Go does. */
function removeExtraBlanks(lines: readonly string[]): string[] {
  const kept = lines.filter((line, i) => line !== "" || (lines[i - 1] ?? "") !== "");
  while (kept.at(-1) === "") kept.pop();
  return kept;
}

const link = /\{@link(?:code|plain)?\s+([^\s|}]+)(?:(?:\s*\|\s*|\s+)([^}]+))?\}/gu;

/** Replaces inline links with their texts, outside of code blocks. */
function expandLinks(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.includes("{@"))) return lines;
  const parts = readMarkdownLines(lines);
  return lines.map((line, i) =>
    parts[i] === "text" ? line.replaceAll(link, (_, target, label) => String(label ?? target)) : line,
  );
}

/**
 * Applies markers to the schema of their target: by priority, then in source order, those for elements of a list last.
 * Records in the schema which marker set each key. `constants` lists the values for `k8s:enum`.
 */
export function applyMarkers(
  schema: Schema,
  markers: readonly Marker[],
  target: MarkerTarget,
  place: Place,
  log: DiagnosticLog,
  constants: () => readonly string[] = () => [],
): void {
  const byPriority = markers.filter(({ definition }) => definition.apply);
  if (byPriority.length > 1) byPriority.sort((a, b) => priorityOf(a) - priorityOf(b));
  for (const marker of byPriority) if (!isForItems(marker)) apply(schema, marker);
  for (const marker of byPriority) {
    if (!isForItems(marker)) continue;
    const message = `+${marker.name} applies to the elements of a list, but this is ${schema.type ?? "none"}`;
    if (schema.type === "array" && schema.items) apply(schema.items, marker);
    else log.error(marker.place, message);
  }

  function apply(onto: Schema, marker: Marker): void {
    const before = { ...onto };
    const context = { marker: marker.name, target, constants };
    const problem = marker.definition.apply!(onto, marker.args, context);
    if (problem) log.error(marker.place, `${asWritten(marker)}: ${problem}`);
    const origin = onto[originKey];
    const places = new Map(origin?.markers);
    for (const key of Object.keys(onto)) {
      if (onto[key as keyof Schema] !== before[key as keyof Schema]) places.set(key, marker.place);
    }
    // Also records a marker that sets a value which was already there.
    if (marker.name.endsWith(":Type")) places.set("type", marker.place);
    for (const rule of onto["x-kubernetes-validations"] ?? []) {
      if (!before["x-kubernetes-validations"]?.includes(rule)) rulePlaces.set(rule, marker.place);
    }
    onto[originKey] = { place: origin?.place ?? place, markers: places };
  }
}

const defaultPriority = 10;

function priorityOf({ definition }: Marker): number {
  return definition.priority ?? defaultPriority;
}

function isForItems({ name }: Marker): boolean {
  return name.startsWith("kubebuilder:validation:items:");
}
