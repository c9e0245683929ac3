import { type CallCost, matchCost, perCharacter, readCost, sizeOf } from "./sizes.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CIDRValue } from "../lib/addresses.ts";
import { FormatValue } from "../lib/formats.ts";
import type { Value } from "../values/value.ts";

const read: CallCost = ([a]) => readCost(sizeOf(a!));
const readTwice: CallCost = ([a]) => Math.ceil(sizeOf(a!) * 2 * perCharacter);
const traverse: CallCost = ([a]) => traversalCost(a!);

/** A selector is read once, and makes a structure for every other character at worst. */
const parseSelector: CallCost = ([, selector]) => {
  const length = sizeOf(selector!);
  return 10 + readCost(length) + Math.ceil(Math.ceil(length * 0.5) * 50);
};

/** The cost that Kubernetes gives to the functions of its libraries, whatever the overload. */
export function kubernetesCost(name: string, overload: string): CallCost | undefined {
  if (name === "ip" && overload === "cidr_ip") return 1;
  if (name === "containsIP" || name === "containsCIDR")
    return containsCost(name, overload.endsWith("_string"));
  return costs[name];
}

const costs: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(
    [
      "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
      "format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor",
      "patch getScheme getHostname getHost getPort getEscapedPath getQuery",
    ]
      .join(" ")
      .split(" ")
      .map((name) => [name, 1]),
  ),
  // Deciding who may do what is made so expensive that an expression can ask twice.
  check: 350_000,
  fieldSelector: parseSelector,
  labelSelector: parseSelector,
  isSorted: traverse,
  sum: traverse,
  max: traverse,
  min: traverse,
  indexOf: traverse,
  lastIndexOf: traverse,
  url: read,
  "jsonpatch.escapeKey": read,
  lowerAscii: read,
  upperAscii: read,
  substring: read,
  trim: read,
  cidr: read,
  isIP: read,
  isCIDR: read,
  ip: read,
  quantity: read,
  isQuantity: read,
  semver: read,
  isSemver: read,
  replace: readTwice,
  split: readTwice,
  "ip.isCanonical": readTwice,
  validate: ([format, text]) =>
    matchCost(sizeOf(text!), format instanceof FormatValue ? format.patternSize : 0),
  join: (_, result) => Math.ceil(sizeOf(result) * 2 * perCharacter),
  find: ([text, pattern]) => matchCost(sizeOf(text!), sizeOf(pattern!)),
  findAll: ([text, pattern]) => matchCost(sizeOf(text!), sizeOf(pattern!)),
};

/** Networks count by their size in bytes, as the library reports it. */
function containsCost(name: string, isText: boolean): CallCost {
  return ([network, other]) => {
    const size = addressSize(network!);
    const base = readCost(size + size) + (name === "containsCIDR" ? readCost(size) + 1 : 0);
    return base + (isText ? readCost(sizeOf(other!)) : 0);
  };
}

/** Lists cost what their items cost, down to the letters; the letters are not rounded up one by one. */
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

/** Asks a network for the size that it counts with. */
function addressSize(value: Value): number {
  return value instanceof CIDRValue ? value.size : sizeOf(value);
}
