import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CelOptional } from "../values/optional.ts";
import { ExtensionValue } from "../values/extension.ts";
import { textLength } from "../values/text.ts";
import type { Value } from "../values/value.ts";
import { kubernetesCost } from "./kubernetes-cost.ts";

/** The cost of one call: fixed, or by the size of what it was given and gave. */
export type CallCost = number | ((args: readonly Value[], result: Value) => number);

/** Reading a character is cheap; reading one character of a regular expression is not. */
export const perCharacter = 0.1;
export const perPatternCharacter = 0.25;

/** The cost of a call at run time, by the overload; without one for calls whose types were open. */
export function runtimeCost(name: string, overload: string): CallCost {
  const own = kubernetesCost(name, overload);
  if (name === "_==_") return ([a, b]) => (a instanceof ExtensionValue ? 1 : compareCost(a!, b!));
  if (own !== undefined) return own;
  if (name === "_!=_") return ([a, b]) => compareCost(a!, b!);
  return byOverload[overload] ?? 1;
}

/** How big a value is for the cost model: characters, bytes, items; one for anything else. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return textLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** The cost of reading through a value once. */
export function readCost(size: number): number {
  return Math.ceil(size * perCharacter);
}

/** The cost of matching a text against a pattern. */
export function matchCost(text: number, pattern: number): number {
  return readCost(text + 1) * Math.ceil(pattern * perPatternCharacter);
}

const readFirst: CallCost = ([a]) => readCost(sizeOf(a!));
const readSmaller: CallCost = ([a, b]) => compareCost(a!, b!);
const readBoth: CallCost = ([a, b]) => readCost(sizeOf(a!) + sizeOf(b!));

const comparisons = ["less", "greater", "less_equals", "greater_equals"].flatMap((word) =>
  ["string", "bytes"].map((type) => [`${word}_${type}`, readSmaller] as const),
);

const byOverload: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(comparisons),
  starts_with_string: readFirst,
  ends_with_string: readFirst,
  string_to_bytes: readFirst,
  bytes_to_string: readFirst,
  strings_quote: readFirst,
  string_format: readFirst,
  in_list: ([, list]) => sizeOf(list!),
  add_string: readBoth,
  add_bytes: readBoth,
  matches_string: ([text, pattern]) => matchCost(sizeOf(text!), sizeOf(pattern!)),
  contains_string: ([text, part]) => readCost(sizeOf(text!)) * readCost(sizeOf(part!)),
};

function compareCost(a: Value, b: Value): number {
  return readCost(Math.min(sizeOf(a), sizeOf(b)));
}
