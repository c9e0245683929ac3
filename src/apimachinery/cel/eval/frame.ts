import { CostLimitError, EvalError } from "../values/eval-error.ts";
import type { Value } from "../values/value.ts";

/** The state of one evaluation: the variables by slot, and the cost so far. */
export interface Frame {
  /** An accumulator may be the error of a step, which later steps can still absorb. */
  readonly slots: (Value | EvalError | undefined)[];
  cost: number;
  readonly limit: number;
}

/** A compiled node. */
export type Evaluate = (frame: Frame) => Value;

/** Adds to the cost of an evaluation; throws if it exceeds the limit. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostLimitError();
}

/** Only CEL errors can be absorbed; cost limit errors and bugs of ours can't. */
export function asEvalError(error: unknown): EvalError {
  if (error instanceof EvalError) return error;
  throw error;
}
