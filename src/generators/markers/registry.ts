import { didYouMean, editDistance } from "../../shared/text.ts";
import type { MarkerDefinition, MarkerTarget } from "./definition.ts";
import { markerFamilies } from "./families/index.ts";

/** The result of looking up a marker's name: a definition, an unrelated comment, or a typo. */
export type Lookup =
  | { readonly kind: "known"; readonly definition: MarkerDefinition }
  | { readonly kind: "foreign" }
  | { readonly kind: "unknown"; readonly suggestion: string | undefined };

const definitions: ReadonlyMap<string, MarkerDefinition> = new Map(
  markerFamilies
    .flatMap(({ markers }) => markers)
    .flatMap((marker) => (marker.forItems ? [marker, forItems(marker)] : [marker]))
    .map((marker) => [marker.name, marker]),
);

/** Prefixes of other tools, whose markers are ignored unless they are defined here. */
const foreign =
  /^(?:kubebuilder:(?:scaffold|docs-gen|ac|printerColumns)|tsbuilder:scaffold|k8s:(?:[\w-]+-gen|conversion-fn|openapi-model-package)|groupGoName|operator-sdk)\b/u;

/** Looks up a marker: by the whole name first, then without its last part, which then is the first argument's name. */
export function lookUpMarker(name: string): Lookup {
  const definition =
    definitions.get(name) ?? definitions.get(name.slice(0, Math.max(0, name.lastIndexOf(":"))));
  if (definition) return { kind: "known", definition };
  if (foreign.test(name)) return { kind: "foreign" };
  const word = /^[^\s]*/u.exec(name)![0];
  const suggestion = suggest(word.replace(/:$/u, ""));
  const hasOurFamily = /^(?:kubebuilder|tsbuilder|k8s):/u.test(name) || hasMisspeltFamily(name);
  if (hasOurFamily) return { kind: "unknown", suggestion };
  // Without a prefix, only a near miss is reported: many tools have markers of a single word.
  const isNearMiss = suggestion !== undefined && !suggestion.includes(":") && word.length > 4;
  return isNearMiss || definitions.has(word)
    ? { kind: "unknown", suggestion: suggestion ?? word }
    : { kind: "foreign" };
}

/** Suggests a name: first of the same family, then with this last part in another one, then any that is similar. */
function suggest(written: string): string | undefined {
  const names = [...definitions.keys()];
  const lastPart = (name: string): string => name.slice(name.lastIndexOf(":") + 1);
  const prefix = written.slice(0, written.lastIndexOf(":") + 1);
  const siblings = names.filter(
    (name) => name.startsWith(prefix) && lastPart(name) === name.slice(prefix.length),
  );
  const sibling = didYouMean(lastPart(written), siblings.map(lastPart));
  if (sibling !== undefined) return prefix + sibling;
  const elsewhere = names.find((name) => lastPart(name).toLowerCase() === lastPart(written).toLowerCase());
  if (elsewhere !== undefined) return elsewhere;
  const parent = prefix.slice(0, -1);
  return closest(written, names) ?? (parent === "" ? undefined : closest(parent, names));
}

/** Finds a name with at most two differences: long names of markers share most of their text. */
function closest(written: string, names: readonly string[]): string | undefined {
  const meant = didYouMean(written, names);
  return meant !== undefined && editDistance(written.toLowerCase(), meant.toLowerCase()) <= 2
    ? meant
    : undefined;
}

/** Describes where a marker may be placed, for errors. */
export function describeTargets(targets: readonly MarkerTarget[]): string {
  const words = { field: "a field", type: "a type", package: "a file" } as const;
  return targets.map((target) => words[target]).join(" or ");
}

function hasMisspeltFamily(name: string): boolean {
  const [family, rest] = name.split(":", 2);
  return (
    rest !== undefined &&
    ["kubebuilder", "tsbuilder"].includes(didYouMean(family!, ["kubebuilder", "tsbuilder"]) ?? "")
  );
}

/** Returns the variant of a marker for the elements of a list: `kubebuilder:validation:items:Maximum`. */
function forItems(marker: MarkerDefinition): MarkerDefinition {
  const prefix = "kubebuilder:validation:";
  return {
    ...marker,
    name: `${prefix}items:${marker.name.slice(prefix.length)}`,
    summary: `For the elements of a list: ${marker.summary}`,
  };
}
