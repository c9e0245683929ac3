import { CelList } from "../values/list.ts";
import { ExtensionValue } from "../values/extension.ts";
import type { Value } from "../values/value.ts";
import { kubernetesCost } from "./kubernetes-cost.ts";
import { type CallCost, matchCost, perCharacter, readCost, sizeOf } from "./sizes.ts";

/** The cost of a call at run time, by overload; undefined overload: the types were dynamic. */
export function runtimeCost(name: string, overload: string): CallCost {
  const own = kubernetesCost(name, overload);
  if (name === "_==_") return ([a, b]) => (a instanceof ExtensionValue ? 1 : compareCost(a!, b!));
  if (own !== undefined) return own;
  if (name === "_!=_") return ([a, b]) => compareCost(a!, b!);
  return byOverload[overload] ?? 1;
}

const readFirst: CallCost = ([a]) => readCost(sizeOf(a!));
const readSmaller: CallCost = ([a, b]) => compareCost(a!, b!);
const readBoth: CallCost = ([a, b]) => readCost(sizeOf(a!) + sizeOf(b!));

const comparisons = ["less", "greater", "less_equals", "greater_equals"].flatMap((word) =>
  ["string", "bytes"].map((type) => [`${word}_${type}`, readSmaller] as const),
);

/** The cost of comparing every item of one list with every item of another. */
const compareAll =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.trunc(sizeOf(a!) * sizeOf(b!) * factor);

/** The cost of creating a list. */
const makeList = (size: number, factor = 1): number => Math.trunc(size * factor) + 11;

/** The cost of comparing all items of a list with each other; strings cost a little more. */
function compareItems(list: Value): number {
  const size = sizeOf(list);
  const first = list instanceof CelList && size > 0 ? list.at(0) : undefined;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return makeList(size * size, isText ? 2 + perCharacter : 2);
}

const makeResult: CallCost = (_, result) => makeList(sizeOf(result));
const flatten: CallCost = ([list, depth]) => makeList(sizeOf(list!), depth === undefined ? 1 : Number(depth));
const sorts = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"].flatMap(
  (type) => [
    [`list_${type}_sort`, (([list]) => compareItems(list!)) satisfies CallCost] as const,
    [`list_${type}_sortByAssociatedKeys`, (([, keys]) => compareItems(keys!)) satisfies CallCost] as const,
  ],
);

const byOverload: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(sorts),
  list_sets_contains_list: compareAll(1),
  list_sets_intersects_list: compareAll(1),
  list_sets_equivalent_list: compareAll(2),
  list_slice: makeResult,
  list_reverse: makeResult,
  lists_range: makeResult,
  list_flatten: flatten,
  list_flatten_int: flatten,
  list_distinct: ([list]) => compareItems(list!),
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
