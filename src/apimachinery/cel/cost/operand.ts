import type { Expr } from "../ast.ts";
import type { CelType } from "../types/type.ts";
import { type Range, unknown } from "./range.ts";

/** An argument of a call, for the cost estimate. */
export interface Operand {
  readonly expr: Expr;
  readonly type: CelType;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  /** The size of a list's items; unknown if the schema has no bound. */
  itemSize(): Range;
}

/** The cost of a call without its arguments, and the size of its result, if known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** Returns the size of an operand; unknown if it has no bound. */
export function sizeOf(operand: Operand | undefined): Range {
  return operand?.size ?? unknown;
}
