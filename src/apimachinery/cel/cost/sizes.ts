import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CelObject } from "../values/object.ts";
import { CelOptional } from "../values/optional.ts";
import { textLength } from "../values/text.ts";
import type { Value } from "../values/value.ts";

/** The cost of one call: fixed, or depending on the sizes of arguments and result. */
export type CallCost = number | ((args: readonly Value[], result: Value) => number);

/** The cost of a character, which is higher in a regular expression. */
export const perCharacter = 0.1;
export const perPatternCharacter = 0.25;

/** The size of a value in the cost model: characters, bytes, items; 1 for anything else. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return textLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) return value.size;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** The cost of reading a value once. */
export function readCost(size: number): number {
  return Math.ceil(size * perCharacter);
}

/** The cost of matching a string against a pattern. */
export function matchCost(text: number, pattern: number): number {
  return readCost(text + 1) * Math.ceil(pattern * perPatternCharacter);
}
