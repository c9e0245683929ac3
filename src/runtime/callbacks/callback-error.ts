import { thrownError } from "./thrown-error.ts";

/** Which function of the user's failed; the label of `tsbuilder_callback_errors_total`. */
export type CallbackName =
  | "index"
  | "transform"
  | "handler"
  | "predicate"
  | "map"
  | "source"
  | "logger"
  | "observer"
  | "tracer";

/** A function of the user's failed. What called it went on without its result; `cause` is what it threw. */
export class CallbackError extends Error {
  override readonly name = "CallbackError";
  override readonly cause: Error;
  readonly callback: CallbackName;
  /** The function as the user knows it: `index "color"`. */
  readonly subject: string;
  /** The key of the object that it was called with, if it was one. */
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

/** What is wrong with a function that doesn't end. */
export function stillRuns(milliseconds: number): string {
  return `it still runs after ${Math.round(milliseconds / 1000)} s`;
}
