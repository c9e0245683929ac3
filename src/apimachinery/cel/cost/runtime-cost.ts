import type { Value } from "../values/value.ts";
import { CelList, CelMap, CelObject, CelOptional, ExtensionValue, textLength } from "../values/value.ts";
import { CIDRValue } from "../lib/addresses.ts";
import { FormatValue } from "../lib/formats.ts";

/**
 * The cost model of cel-go and of Kubernetes' libraries: the API server charges these costs when it evaluates a rule.
 * `estimate.ts` has the upper bounds by which it accepts a CRD.
 */

/** The cost of one call: fixed, or depending on the sizes of arguments and result. */
type CallCost = number | ((args: readonly Value[], result: Value) => number);

/** The cost of reading a character: cel-go's `StringTraversalCostFactor`. */
export const perCharacter = 0.1;

/** The cost of a character of a regular expression, for each unit of text: cel-go's `RegexStringLengthCostFactor`. */
export const perPatternCharacter = 0.25;

/** The cost of constructing a list, map or message: cel-go's `*CreateBaseCost`. */
export const constructionCost = { list: 10, map: 30, struct: 40 };

/** Returns the cost of a call at run time; an empty overload: the types were dynamic. Unlisted functions cost 1. */
export function runtimeCost(name: string, overload: string): CallCost {
  if (name === "_==_") return ([a, b]) => (a instanceof ExtensionValue ? 1 : compareCost(a!, b!));
  if (name === "_!=_") return readSmaller;
  return kubernetesCost(name, overload) ?? costsByOverload[overload] ?? 1;
}

function kubernetesCost(name: string, overload: string): CallCost | undefined {
  if (name === "ip" && overload === "cidr_ip") return 1;
  if (name === "containsIP" || name === "containsCIDR")
    return containsCost(name, overload.endsWith("_string"));
  return costsByName[name];
}

/** A CIDR counts with the bytes of its prefix, which `CIDRValue.size` returns. */
function containsCost(name: string, isText: boolean): CallCost {
  return ([network, other]) => {
    const size = network instanceof CIDRValue ? network.size : sizeOf(network!);
    const base = readCost(size + size) + (name === "containsCIDR" ? readCost(size) + 1 : 0);
    return base + (isText ? readCost(sizeOf(other!)) : 0);
  };
}

/** The functions of the Kubernetes libraries that cost one. */
export const cheapFunctions = [
  "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
  "format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor",
  "patch getScheme getHostname getHost getPort getEscapedPath getQuery",
].join(" ");

const read: CallCost = ([a]) => readCost(sizeOf(a!));
const matchPattern: CallCost = ([text, pattern]) => matchCost(sizeOf(text!), sizeOf(pattern!));
const readTwice: CallCost = ([a]) => Math.ceil(sizeOf(a!) * 2 * perCharacter);
const traverse: CallCost = ([a]) => traversalCost(a!);

/** A selector is read once, and creates a structure, which costs 50, for every other character in the worst case. */
const parseSelector: CallCost = ([, selector]) => {
  const length = sizeOf(selector!);
  return constructionCost.list + readCost(length) + Math.ceil(length * 0.5) * 50;
};

/** The functions of the Kubernetes libraries, by name. */
const costsByName: Readonly<Record<string, CallCost>> = {
  ...withCost(cheapFunctions, 1),
  // Authorization checks are so expensive that an expression can do only two.
  check: 350_000,
  ...withCost("fieldSelector labelSelector", parseSelector),
  ...withCost("isSorted sum max min indexOf lastIndexOf", traverse),
  ...withCost("url jsonpatch.escapeKey lowerAscii upperAscii substring trim", read),
  ...withCost("cidr isIP isCIDR ip quantity isQuantity semver isSemver", read),
  ...withCost("replace split ip.isCanonical", readTwice),
  validate: ([format, text]) =>
    matchCost(sizeOf(text!), format instanceof FormatValue ? format.patternSize : 0),
  join: (_, result) => Math.ceil(sizeOf(result) * 2 * perCharacter),
  ...withCost("find findAll", matchPattern),
};

const readSmaller: CallCost = ([a, b]) => compareCost(a!, b!);
const readBoth: CallCost = ([a, b]) => readCost(sizeOf(a!) + sizeOf(b!));

/** The cost of comparing every item of one list with every item of another. */
const compareAll =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.trunc(sizeOf(a!) * sizeOf(b!) * factor);

const makeResult: CallCost = (_, result) => makeList(sizeOf(result));
const flatten: CallCost = ([list, depth]) => makeList(sizeOf(list!), depth === undefined ? 1 : Number(depth));

/** The functions of CEL's standard library and extensions, by overload. */
const costsByOverload: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(
    ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"].flatMap(
      (type): [string, CallCost][] => [
        [`list_${type}_sort`, ([list]) => compareItems(list!)],
        [`list_${type}_sortByAssociatedKeys`, ([, keys]) => compareItems(keys!)],
      ],
    ),
  ),
  ...withCost("list_sets_contains_list list_sets_intersects_list", compareAll(1)),
  list_sets_equivalent_list: compareAll(2),
  ...withCost("list_slice list_reverse lists_range", makeResult),
  ...withCost("list_flatten list_flatten_int", flatten),
  list_distinct: ([list]) => compareItems(list!),
  ...withCost("less_string less_bytes less_equals_string less_equals_bytes", readSmaller),
  ...withCost("greater_string greater_bytes greater_equals_string greater_equals_bytes", readSmaller),
  ...withCost("starts_with_string ends_with_string string_to_bytes bytes_to_string", read),
  ...withCost("strings_quote string_format", read),
  in_list: ([, list]) => sizeOf(list!),
  ...withCost("add_string add_bytes", readBoth),
  matches_string: matchPattern,
  contains_string: ([text, part]) => readCost(sizeOf(text!)) * readCost(sizeOf(part!)),
};

/** Gives several functions or overloads, whose names are separated by spaces, the same cost. */
export function withCost<Cost>(names: string, cost: Cost): Readonly<Record<string, Cost>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, cost]));
}

/** The size of a value in the cost model: characters, bytes, items; 1 for anything else. */
function sizeOf(value: Value): number {
  if (typeof value === "string") return textLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap || value instanceof CelObject) return value.size;
  if (value instanceof CelOptional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

/** The cost of reading a value once. */
function readCost(size: number): number {
  return Math.ceil(size * perCharacter);
}

/** The cost of matching a string against a pattern. */
function matchCost(text: number, pattern: number): number {
  return readCost(text + 1) * Math.ceil(pattern * perPatternCharacter);
}

function compareCost(a: Value, b: Value): number {
  return readCost(Math.min(sizeOf(a), sizeOf(b)));
}

/** The cost of a list is that of its items, down to the characters, whose costs are not rounded up individually. */
function traversalCost(value: Value): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perCharacter);
  if (value instanceof CelList)
    return value.toArray().reduce<number>((sum, item) => sum + traversalCost(item), 0);
  if (!(value instanceof CelMap)) return 1;
  return value
    .keys()
    .reduce<number>((sum, key) => sum + traversalCost(key) + traversalCost(value.find(key)!), 0);
}

/** The cost of creating a list, and of the call that does it. */
function makeList(size: number, factor = 1): number {
  return Math.trunc(size * factor) + constructionCost.list + 1;
}

/** The cost of comparing all items of a list with each other; strings cost a little more. */
function compareItems(list: Value): number {
  const size = sizeOf(list);
  const first = list instanceof CelList && size > 0 ? list.at(0) : undefined;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return makeList(size * size, isText ? 2 + perCharacter : 2);
}
