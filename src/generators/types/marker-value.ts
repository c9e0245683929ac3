import { MarkerError } from "../markers/marker-error.ts";
import { parseArguments, splitMarker } from "../markers/parse-marker.ts";
import { lookUpMarker } from "../markers/registry.ts";
import { jsonText } from "../../shared/source-text.ts";

/**
 * The marker of an example; undefined if none is read back as the same value: the elements of a list are of one type,
 * braces without content are a map, and there is no null.
 */
export function exampleMarker(example: unknown): string | undefined {
  const text = `kubebuilder:example=${markerValue(example)}`;
  const found = lookUpMarker("kubebuilder:example");
  if (found.kind !== "known") return undefined;
  try {
    const { "": read } = parseArguments(splitMarker(text), found.definition);
    return sameText(read, example) ? `+${text}` : undefined;
  } catch (error) {
    if (error instanceof MarkerError) return undefined;
    throw error;
  }
}

function sameText(one: unknown, other: unknown): boolean {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
  return text(one) === text(other);
}

/** A value of any type in a marker. */
export function markerValue(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(markerValue).join(", ")}}`;
  if (typeof value !== "object" || value === null) return jsonText(value);
  const entries = Object.entries(value).map(([key, item]) => `${jsonText(key)}: ${markerValue(item)}`);
  return `{${entries.join(", ")}}`;
}
