import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { isProgrammingError, show, thrownError } from "../callbacks/callbacks.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Result } from "./reconciler.ts";

/** The label `result` of `controller_runtime_reconcile_total`, with controller-runtime's values. */
export type ReconcileResult = "success" | "requeue_after" | "requeue" | "error";

/** How a reconcile ended, which decides about the next one. */
export type Outcome =
  | { readonly ending: "done"; readonly result: "success" }
  | {
      readonly ending: "later";
      readonly result: "requeue_after";
      readonly after: number;
      readonly priority: number | undefined;
    }
  /** `requeueAfter` was 0 or negative: it runs again, but not in a hot loop. */
  | { readonly ending: "again"; readonly result: "requeue"; readonly requeueAfter: DurationLike }
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

/** The outcome of a reconcile that threw. */
function failure(thrown: unknown): Outcome {
  const error = thrownError(thrown);
  if (error instanceof TerminalError) return { ending: "terminal", result: "error", error };
  if (error instanceof ApiError && error.isConflict && !error.isFieldManagerConflict)
    return { ending: "conflict", result: "requeue", error };
  return { ending: "error", result: "error", error, isPanic: isProgrammingError(error) };
}
