import { splitMarker } from "./parse-marker.ts";
import { lookUpMarker } from "./registry.ts";

/** A marker that a line of text was probably meant to be: `+ optional`, `- +kubebuilder:default=1`. */
export interface MissedMarker {
  readonly name: string;
  /** Where it begins in the line. */
  readonly index: number;
}

/** Finds a marker in a line that is none, since its plus sign is missing, apart, or not the first character. */
export function findMissedMarker(line: string): MissedMarker | undefined {
  const found = withFamily.exec(line) ?? withoutFamily.exec(line);
  if (!found?.groups) return undefined;
  const { name } = splitMarker(found.groups["marker"]!);
  const index = found.index + found.groups["before"]!.length;
  return lookUpMarker(name).kind === "known" ? { name, index } : undefined;
}

/** Behind a quote or a backtick, it is only talked about. */
const withFamily = /(?<before>^|[\s*/-])\+*\s*(?<marker>(?:kubebuilder|tsbuilder|k8s):.*)$/u;
/** `optional` alone is a word. */
const withoutFamily = /(?<before>^)\+\s+(?<marker>\w+(?:=.*)?)$/u;
