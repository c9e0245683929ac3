import { type CallCost, matchCost, perCharacter, readCost, sizeOf } from "./sizes.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CIDRValue } from "../lib/addresses.ts";
import { FormatValue } from "../lib/formats.ts";
import type { Value } from "../values/value.ts";

const read: CallCost = ([a]) => readCost(sizeOf(a!));
const readTwice: CallCost = ([a]) => Math.ceil(sizeOf(a!) * 2 * perCharacter);
const traverse: CallCost = ([a]) => traversalCost(a!);

/** A selector is read once, and creates a structure for every other character in the worst case. */
const parseSelector: CallCost = ([, selector]) => {
  const length = sizeOf(selector!);
  return 10 + readCost(length) + Math.ceil(Math.ceil(length * 0.5) * 50);
};

/** The cost of functions of the Kubernetes libraries, independent of the overload. */
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
  // Authorization checks are so expensive that an expression can do only two.
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

/** The cost for CIDRs depends on their size in bytes, as reported by the library. */
function containsCost(name: string, isText: boolean): CallCost {
  return ([network, other]) => {
    const size = addressSize(network!);
    const base = readCost(size + size) + (name === "containsCIDR" ? readCost(size) + 1 : 0);
    return base + (isText ? readCost(sizeOf(other!)) : 0);
  };
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

/** Returns the size of a CIDR in the cost model. */
function addressSize(value: Value): number {
  return value instanceof CIDRValue ? value.size : sizeOf(value);
}
