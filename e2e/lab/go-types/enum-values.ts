import { parseArguments, splitMarker } from "../../../src/generators/markers/parse-marker.ts";
import { lookUpMarker } from "../../../src/generators/markers/registry.ts";
import { type GoComment, linesOf } from "./go-package.ts";

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
