import { parseDuration } from "@tsbuilder/apimachinery/time";
import { isProgrammingError, show, thrownError } from "../callbacks/thrown-error.ts";
import { ApiError } from "../errors/api-error.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { stackOf } from "../log/format-field.ts";
import type { ReconcileEndMessage, ReconcileStartMessage } from "../tracing/channels.ts";
import type { Result } from "./reconciler.ts";

/** How a reconcile ended. `result` is its label in `controller_runtime_reconcile_total`. */
export type Outcome =
  | { readonly ending: "done"; readonly result: "success" }
  | {
      readonly ending: "later";
      readonly result: "requeue_after";
      readonly after: number;
      readonly priority: number | undefined;
    }
  /** `requeueAfter` was 0 or negative: it runs again, but not in a hot loop. */
  | { readonly ending: "again"; readonly result: "requeue"; readonly requeueAfter: string }
  | { readonly ending: "conflict"; readonly result: "requeue"; readonly error: Error }
  | { readonly ending: "terminal"; readonly result: "error"; readonly error: Error }
  | { readonly ending: "error"; readonly result: "error"; readonly error: Error; readonly isPanic: boolean };

/** Interprets what a reconcile returned or threw. Any value may be thrown; an invalid result counts as an error. */
export function outcomeOf(end: { readonly result: Result } | { readonly error: unknown }): Outcome {
  if ("error" in end) return failure(end.error);
  const { requeueAfter, priority } = end.result ?? {};
  if (requeueAfter === undefined) return { ending: "done", result: "success" };
  if (priority !== undefined && !Number.isFinite(priority))
    return failure(new TypeError(`priority is ${show(priority)}: it must be a number`));
  try {
    const after = parseDuration(requeueAfter);
    if (after <= 0) return { ending: "again", result: "requeue", requeueAfter };
    return { ending: "later", result: "requeue_after", after, priority };
  } catch {
    return failure(new TypeError(`requeueAfter is ${show(requeueAfter)}: write it like "30s" or "1h30m"`));
  }
}

/** Tells how a reconcile ended, as data. */
export function endMessage(
  start: ReconcileStartMessage,
  outcome: Outcome,
  seconds: number,
): ReconcileEndMessage {
  return {
    ...start,
    outcome: outcome.ending,
    requeueAfter: outcome.ending === "later" ? outcome.after : undefined,
    error: "error" in outcome ? outcome.error.message : undefined,
    stack: "error" in outcome ? stackOf(outcome.error) : undefined,
    seconds,
  };
}

function failure(thrown: unknown): Outcome {
  const error = thrownError(thrown);
  if (error instanceof TerminalError) return { ending: "terminal", result: "error", error };
  if (error instanceof ApiError && error.isConflict && !error.isFieldManagerConflict)
    return { ending: "conflict", result: "requeue", error };
  return { ending: "error", result: "error", error, isPanic: isProgrammingError(error) };
}
