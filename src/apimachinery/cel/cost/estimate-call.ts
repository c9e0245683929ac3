import { type CallEstimate, type Operand, sizeOf } from "./operand.ts";
import { type Range, add, fixed, multiply, scale, unbounded } from "./range.ts";
import { perCharacter, perPatternCharacter } from "./sizes.ts";
import { formatType } from "../types/type.ts";

/** Estimates functions of the Kubernetes and strings libraries; undefined for any other. */
function estimateKubernetesCall(
  name: string,
  overload: string,
  operands: readonly Operand[],
): CallEstimate | undefined {
  if (name === "_==_") return estimateEquality(operands);
  if (name === "ip" && overload === "cidr_ip") return { cost: fixed(1) };
  if (isTextIndex(name, overload)) return { cost: scale(sizeOf(operands[0]), perCharacter) };
  return estimates[name]?.(operands, overload);
}

type Estimate = (operands: readonly Operand[], overload: string) => CallEstimate;

const readFirst: Estimate = ([first]) => ({ cost: scale(sizeOf(first), perCharacter) });

const readAndKeep: Estimate = ([first]) => ({
  cost: scale(sizeOf(first), perCharacter),
  size: sizeOf(first),
});

const constant: Estimate = () => ({ cost: fixed(1) });

/** Traverses all items; comparing or adding strings reads them. */
const visitItems: Estimate = ([list]) => {
  const kind = list?.type.params[0]?.kind;
  if (kind === undefined) return { cost: scale(sizeOf(list), perCharacter) };
  const isText = kind === "string" || kind === "bytes";
  const each = isText ? add(fixed(1), scale(list!.itemSize(), perCharacter)) : fixed(1);
  return { cost: multiply(sizeOf(list), each) };
};

const findMatches: Estimate = ([text, pattern]) => {
  const read = scale(add(sizeOf(text), fixed(1)), perCharacter);
  const cost = multiply(read, scale(sizeOf(pattern), perPatternCharacter));
  return { cost, size: { min: 0, max: sizeOf(text).max } };
};

const oneEach = [
  "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
  "format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor",
  "patch getScheme getHostname getHost getPort getEscapedPath getQuery",
];

const estimates: Readonly<Record<string, Estimate>> = {
  ...Object.fromEntries(oneEach.flatMap((names) => names.split(" ")).map((name) => [name, constant])),
  isSorted: visitItems,
  sum: visitItems,
  max: visitItems,
  min: visitItems,
  indexOf: visitItems,
  lastIndexOf: visitItems,
  url: readAndKeep,
  lowerAscii: readAndKeep,
  upperAscii: readAndKeep,
  substring: readAndKeep,
  trim: readAndKeep,
  cidr: readFirst,
  isIP: readFirst,
  isCIDR: readFirst,
  ip: readFirst,
  quantity: readFirst,
  isQuantity: readFirst,
  semver: readFirst,
  isSemver: readFirst,
  find: findMatches,
  findAll: findMatches,
  replace: estimateReplace,
  split: estimateSplit,
  join: estimateJoin,
  "ip.isCanonical": ([first]) => ({ cost: scale(sizeOf(first), 2 * perCharacter) }),
  validate: ([, text]) => ({ cost: scale(scale(sizeOf(text), perCharacter), 128 * perPatternCharacter) }),
  containsIP: ([, other], overload) => ({
    cost: add(scale({ min: 8, max: 32 }, perCharacter), textOf(other, overload)),
  }),
  containsCIDR: ([, other], overload) => ({
    cost: add(
      scale({ min: 8, max: 32 }, perCharacter),
      scale({ min: 4, max: 16 }, perCharacter),
      fixed(1),
      textOf(other, overload),
    ),
  }),
};

/** Strings and lists both have these two functions; on strings they read the text. */
function isTextIndex(name: string, overload: string): boolean {
  return (name === "indexOf" || name === "lastIndexOf") && overload.startsWith("string_");
}

function textOf(operand: Operand | undefined, overload: string): Range {
  return overload.endsWith("_string") ? scale(sizeOf(operand), perCharacter) : fixed(0);
}

function estimateReplace([text, from, to]: readonly Operand[]): CallEstimate {
  const [whole, part, other] = [sizeOf(text), sizeOf(from), sizeOf(to)];
  const count = { min: 0, max: 0 };
  const kept = { min: 0, max: 0 };
  if (part.min === 0) {
    count.max = whole.max + 1;
    kept.max = whole.max;
  } else if (other.max <= part.min) {
    kept.max = whole.max;
  } else {
    count.max = Math.ceil(whole.max / part.min);
  }
  if (part.max === 0) {
    count.min = whole.min + 1;
    kept.min = whole.min;
  } else if (part.max <= other.min) {
    kept.min = whole.min;
  } else {
    count.min = Math.ceil(whole.min / part.max);
  }
  return { cost: scale(whole, 2 * perCharacter), size: add(multiply(count, other), kept) };
}

function estimateSplit([text, , limit]: readonly Operand[]): CallEstimate {
  const size = sizeOf(text);
  const expr = limit?.expr;
  const given = expr?.kind === "literal" && typeof expr.value === "number" ? expr.value : undefined;
  return {
    cost: scale(size, 2 * perCharacter),
    size: { min: 0, max: given ?? size.max },
  };
}

function estimateJoin([list, separator]: readonly Operand[]): CallEstimate {
  const count = sizeOf(list);
  const hasItems = list?.type.params[0] !== undefined;
  let size = hasItems ? multiply(count, list.itemSize()) : { min: 0, max: 0 };
  if (separator) {
    const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
    size = add(size, multiply(sizeOf(separator), gaps));
  }
  return { cost: scale(size, perCharacter), size };
}

/** Values of library types are compared at a fixed cost, or by their short text. */
function estimateEquality([left, right]: readonly Operand[]): CallEstimate | undefined {
  if (!left || !right || formatType(left.type) !== formatType(right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return { cost: fixed(1) };
    case "kubernetes.NamedFormat":
      return { cost: scale({ min: 1, max: 64 }, perCharacter) };
    case "kubernetes.URL":
      return { cost: scale({ min: 1, max: right.size?.max ?? 1 }, perCharacter) };
    default:
      return undefined;
  }
}

/** Estimates the cost of a call by function and overload. The target of a method is the first operand. */
export function estimateCall(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const own = estimateListCall(overload, operands) ?? estimateKubernetesCall(name, overload, operands);
  if (own) return own;
  const [first, second] = operands;
  const read = (operand: Operand | undefined): Range => scale(sizeOf(operand), perCharacter);
  switch (overload) {
    case "string_format":
      return { cost: read(first) };
    case "string_to_bytes": {
      const { min, max } = sizeOf(first);
      return { cost: read(first), size: { min, max: max * 4 } };
    }
    case "bytes_to_string": {
      const { min, max } = sizeOf(first);
      return { cost: read(first), size: { min: Math.floor(min / 4), max } };
    }
    case "strings_quote": {
      const { min, max } = sizeOf(first);
      return { cost: read(first), size: { min: min + 2, max: max * 2 + 2 } };
    }
    case "starts_with_string":
    case "ends_with_string":
      return { cost: read(second) };
    case "in_list":
      return { cost: sizeOf(second) };
    case "matches_string": {
      const text = scale(add(sizeOf(first), fixed(1)), perCharacter);
      return { cost: multiply(text, scale(sizeOf(second), perPatternCharacter)) };
    }
    case "contains_string":
      return { cost: multiply(read(first), read(second)) };
    case "add_list":
      return { cost: fixed(1), size: add(sizeOf(first), sizeOf(second)) };
    case "add_string":
    case "add_bytes": {
      const size = add(sizeOf(first), sizeOf(second));
      return { cost: scale(size, perCharacter), size };
    }
    default:
      return comparesContent(overload) ? { cost: compareCost(first, second) } : { cost: fixed(1) };
  }
}

/** The costs of creating a list and of calling a function. */
const overhead = fixed(11);

/** Estimates functions of the lists and sets libraries; undefined for any other overload. */
function estimateListCall(overload: string, operands: readonly Operand[]): CallEstimate | undefined {
  const [first, second, third] = operands;
  switch (overload) {
    case "list_sets_contains_list":
    case "list_sets_intersects_list":
      return { cost: add(multiply(sizeOf(first), sizeOf(second)), fixed(1)) };
    case "list_sets_equivalent_list":
      return { cost: add(scale(multiply(sizeOf(first), sizeOf(second)), 2), fixed(1)) };
    case "list_slice": {
      const { max } = sizeOf(first);
      return allocate(1, fixed(wrap(literal(third, max) - literal(second, 0))));
    }
    case "list_flatten":
      return allocate(1, sizeOf(first));
    case "list_flatten_int":
      return allocate(literal(second, unbounded), sizeOf(first));
    case "lists_range":
      return allocate(1, fixed(literal(first, unbounded)));
    case "list_reverse":
      return allocate(1, sizeOf(first));
    case "list_distinct":
      return allocate(2, multiply(sizeOf(first), sizeOf(first)));
    default:
      return estimateSort(overload, first, second);
  }
}

/** Sorting compares every item with every other one, strings character by character. */
function estimateSort(
  overload: string,
  first: Operand | undefined,
  second: Operand | undefined,
): CallEstimate | undefined {
  const match = /^list_(\w+)_sort(ByAssociatedKeys)?$/.exec(overload);
  if (!match) return undefined;
  const isText = match[1] === "string" || match[1] === "bytes";
  const size = sizeOf(match[2] === undefined ? first : second);
  return allocate(isText ? 2 + perCharacter : 2, multiply(size, size));
}

function allocate(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), overhead), size };
}

/** Returns the value of a literal argument; a negative number counts as zero. */
function literal(operand: Operand | undefined, otherwise: number): number {
  const expr = operand?.expr;
  if (expr?.kind !== "literal" || typeof expr.value === "string" || typeof expr.value === "boolean")
    return otherwise;
  return typeof expr.value === "number" || typeof expr.value === "bigint"
    ? Math.max(Number(expr.value), 0)
    : otherwise;
}

/** A difference below zero wraps around, as in uint64. */
function wrap(value: number): number {
  return value < 0 ? unbounded + value : value;
}

function comparesContent(overload: string): boolean {
  if (overload === "equals" || overload === "not_equals") return true;
  return /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/.test(overload);
}

/** The cost of a comparison depends on the smaller value. */
function compareCost(first: Operand | undefined, second: Operand | undefined): Range {
  const max = Math.min(sizeOf(first).max, sizeOf(second).max);
  return scale({ min: max > 0 ? 1 : 0, max }, perCharacter);
}
