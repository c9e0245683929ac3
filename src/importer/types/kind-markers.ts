// What Go says in markers and TypeScript in code: a kind's names and scope, and the values of an enum; and what only our generators refuse.

import { pluralize } from "@tsbuilder/apimachinery/naming";
import type { Diagnostic } from "../../generators/model/diagnostic.ts";
import { parseArguments, splitMarker } from "../../generators/markers/parse-marker.ts";
import { lookUpMarker } from "../../generators/markers/registry.ts";
import { type GoComment, type GoTypeDeclaration, linesOf } from "../go/model.ts";

/** The names and the scope of a kind, as its marker `+kubebuilder:resource` has them. */
export interface KindNames {
  readonly plural: string;
  readonly singular: string | undefined;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isClusterScoped: boolean;
}

export function kindNames({ name, comments }: GoTypeDeclaration): KindNames {
  const lines = linesOf(comments).filter((line) => /^\s*\+kubebuilder:resource:/u.test(line));
  const resource = Object.assign({}, ...lines.map(markerArguments)) as Readonly<Record<string, unknown>>;
  const text = (key: string): string | undefined =>
    typeof resource[key] === "string" ? resource[key] : undefined;
  const list = (key: string): readonly string[] =>
    Array.isArray(resource[key]) ? resource[key].filter((each) => typeof each === "string") : [];
  return {
    plural: text("path") ?? pluralize(name.toLowerCase()),
    singular: text("singular"),
    shortNames: list("shortName"),
    categories: list("categories"),
    isClusterScoped: resource["scope"] === "Cluster",
  };
}

const enumMarker = /^\s*\+kubebuilder:validation:Enum[=:]/u;

/** The strings that a marker on a type allows, which are a union in TypeScript; undefined without one. */
export function enumOf(comments: readonly GoComment[]): string[] | undefined {
  const markers = linesOf(comments).filter((line) => enumMarker.test(line));
  const values = markers.length === 1 ? markerArguments(markers[0]!)?.[""] : undefined;
  const isUnion = Array.isArray(values) && values.every((value) => typeof value === "string");
  return isUnion && new Set(values).size === values.length ? values : undefined;
}

/** The comments without that marker. */
export function withoutEnum(comments: readonly GoComment[]): GoComment[] {
  return comments.map((comment) => ({
    ...comment,
    lines: comment.lines.filter((line) => !enumMarker.test(line)),
  }));
}

/** The arguments of a line with a marker; undefined if it has no such marker, or the marker has a mistake. */
export function markerArguments(line: string): Readonly<Record<string, unknown>> | undefined {
  const parts = splitMarker(line.trim().slice(1));
  const found = lookUpMarker(parts.name);
  if (found.kind !== "known") return undefined;
  try {
    return parseArguments(parts, found.definition);
  } catch {
    return undefined;
  }
}

/**
 * Takes lines of comments out that the generators refuse and controller-gen ignores: a misspelt marker, or one in the
 * wrong place. Returns each of them; what is wrong in any other line stays.
 */
export function removeRefusedMarkers(
  files: Record<string, string>,
  diagnostics: readonly Diagnostic[],
): string[] {
  const removed: string[] = [];
  for (const { severity, at, message } of diagnostics) {
    if (severity !== "error" || !at || files[at.file] === undefined) continue;
    const lines = files[at.file]!.split("\n");
    const line = lines[at.line - 1] ?? "";
    const marker = /^\s*(?:\/\/|\/\*\*|\*)\s*(\+.*?)(?:\s*\*\/)?$/u.exec(line)?.[1];
    if (marker === undefined) continue;
    // The line stays, so that the places of other findings are right.
    lines[at.line - 1] = line.includes("/**") ? "" : line.replace(marker, placeholder);
    files[at.file] = lines.join("\n");
    removed.push(`${marker} (${message})`);
  }
  return removed;
}

const placeholder = "+import:removed";

/** The text of a module without the lines that stand for removed markers, and without comments that have no other. */
export function withoutPlaceholders(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\*) \+import:removed$/u.test(line))
    .join("\n")
    .replaceAll(/^[ \t]*\/\*\*\n[ \t]*\*\/\n/gmu, "");
}
