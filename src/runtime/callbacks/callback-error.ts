import { thrownError } from "./thrown-error.ts";

/** Which user's function failed; the label of `tsbuilder_callback_errors_total`. */
export type CallbackName =
  | "index"
  | "transform"
  | "handler"
  | "predicate"
  | "map"
  | "source"
  | "backoff"
  | "schedule"
  | "logger"
  | "observer"
  | "tracer";

/** A user's function failed. The caller continued without its result; `cause` is what it threw. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
  override readonly cause: Error;
  readonly callback: CallbackName;
  /** The function in the user's terms: `index "color"`. */
  readonly subject: string;
  /** The key of the object that it was called with, if there was one. */
  readonly object: string | undefined;

  constructor(callback: CallbackName, subject: string, thrown: unknown, object?: string) {
    const cause = thrownError(thrown);
    super(`${subject} failed${object === undefined ? "" : ` on ${object}`}: ${cause.message}`, { cause });
    this.cause = cause;
    this.callback = callback;
    this.subject = subject;
    this.object = object;
  }
}

/** The message for a function that doesn't end. */
export function stillRuns(milliseconds: number): string {
  return `it still runs after ${Math.round(milliseconds / 1000)} s`;
}
