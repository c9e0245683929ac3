import { estimateKubernetesCall } from "./estimate-kubernetes.ts";
import { estimateListCall } from "./estimate-lists.ts";
import { type CallEstimate, type Operand, sizeOf } from "./operand.ts";
import { add, fixed, multiply, type Range, scale } from "./range.ts";
import { perCharacter, perPatternCharacter } from "./sizes.ts";

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

function comparesContent(overload: string): boolean {
  if (overload === "equals" || overload === "not_equals") return true;
  return /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/.test(overload);
}

/** The cost of a comparison depends on the smaller value. */
function compareCost(first: Operand | undefined, second: Operand | undefined): Range {
  const max = Math.min(sizeOf(first).max, sizeOf(second).max);
  return scale({ min: max > 0 ? 1 : 0, max }, perCharacter);
}
