import { CostLimitError, EvalError } from "../values/eval-error.ts";
import type { Value } from "../values/value.ts";

/** The state of one evaluation: the variables by slot, and what it has cost so far. */
export interface Frame {
  /** An accumulator may hold the error of a step: later steps can still absorb it. */
  readonly slots: (Value | EvalError | undefined)[];
  cost: number;
  readonly limit: number;
}

/** A compiled node. */
export type Evaluate = (frame: Frame) => Value;

/** Adds to the cost of an evaluation, and ends it when that is too much. */
export function charge(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostLimitError();
}

/** Only errors of CEL can be absorbed; running out of budget and faults of ours can't. */
export function asEvalError(error: unknown): EvalError {
  if (error instanceof EvalError) return error;
  throw error;
}
