import { type CallEstimate, type Operand, sizeOf } from "./operand.ts";
import { add, fixed, multiply, type Range, scale, unbounded } from "./range.ts";
import { perCharacter } from "./sizes.ts";

/** The costs of creating a list and of calling a function. */
const overhead = fixed(11);

/** Estimates functions of the lists and sets libraries; undefined for any other overload. */
export function estimateListCall(overload: string, operands: readonly Operand[]): CallEstimate | undefined {
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
