import { compareCharacters } from "../../text/index.ts";
import { type CelType } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { type Value, compareNumbers, compareNumeric, isEqualValue } from "../values/value.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";
import { type FunctionDecl, anyType, declare, typed } from "./function.ts";

const { bool, bytes, double, duration, int, string, timestamp, uint } = typed;
const any = anyType("A");

/** The ordered types, by their names in overloads; numbers are ordered across types. */
const ordered: readonly (readonly [string, CelType, CelType])[] = [
  ["bool", bool, bool],
  ["int64", int, int],
  ["int64_double", int, double],
  ["int64_uint64", int, uint],
  ["uint64", uint, uint],
  ["uint64_double", uint, double],
  ["uint64_int64", uint, int],
  ["double", double, double],
  ["double_int64", double, int],
  ["double_uint64", double, uint],
  ["string", string, string],
  ["bytes", bytes, bytes],
  ["timestamp", timestamp, timestamp],
  ["duration", duration, duration],
];

/** The operators `== != < <= >= >`. */
export const comparison = [
  declare("_==_", "equals", [any, any], bool, isEqualValue),
  declare("_!=_", "not_equals", [any, any], bool, (a, b) => !isEqualValue(a, b)),
  ...relation("_<_", "less", (order) => order < 0),
  ...relation("_<=_", "less_equals", (order) => order <= 0),
  ...relation("_>=_", "greater_equals", (order) => order >= 0),
  ...relation("_>_", "greater", (order) => order > 0),
];

/** Compares two values; returns NaN for NaN. Throws an EvalError for values that have no order. */
export function compare(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") return compareCharacters(a, b);
  const order = compareNumeric(a, b);
  if (order !== undefined) return order;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof CelDuration && b instanceof CelDuration) return compareNumbers(a.nanos, b.nanos);
  throw new EvalError("no such overload");
}

function relation(name: string, word: string, holds: (order: number) => boolean): FunctionDecl[] {
  return ordered.map(([suffix, left, right]) =>
    declare(name, `${word}_${suffix}`, [left, right], bool, (a, b) => holds(compare(a, b))),
  );
}
