import type { Expr } from "../ast.ts";
import type { CelType } from "../types/type.ts";
import { type Range, unknown } from "./range.ts";

/** An argument of a call, as far as costs go by it. */
export interface Operand {
  readonly expr: Expr;
  readonly type: CelType;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  /** The size of a list's items, where the schema bounds it. */
  itemSize(): Range;
}

/** What a call costs apart from its arguments, and how big its result is where that is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** The size of an operand; anything where nothing bounds it. */
export function sizeOf(operand: Operand | undefined): Range {
  return operand?.size ?? unknown;
}
