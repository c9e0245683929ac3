// Calls of users' functions, which may throw anything, return promises where none are expected, or never end.

/** Calls a user's function that returns nothing. An error, thrown now or asynchronously, is passed to `onError`. */
export function callSafely(run: () => unknown, onError: (error: Error) => void): void {
  try {
    const result = run();
    if (isThenable(result)) result.then(undefined, (thrown) => onError(thrownError(thrown)));
  } catch (thrown) {
    onError(thrownError(thrown));
  }
}

/** Returns true if a function returned a promise, as an `async` one may although its type says void. */
export function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Returns the result of a user's function that can't be awaited. Throws a `TypeError` if it is a promise. */
export function synchronous<T>(result: T): T {
  if (!isThenable(result)) return result;
  // Its rejection would be unhandled, and end the process.
  result.then(undefined, () => {});
  throw new TypeError("it returned a promise: it can't be async");
}

/** Returns a handler that emits a Node warning: for errors of a user's function that handles errors itself. */
export function warnOf(what: string): (error: Error) => void {
  return ({ message }) => process.emitWarning(`${what} failed: ${message}`);
}

/** The kind of a user's function that failed; the label of `tsbuilder_callback_errors_total`. */
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

/** A user's function failed, and its caller continued without a result; `cause` is the thrown error. */
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

/** Converts a thrown value to an error with a message: code may throw anything. */
export function thrownError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
  } catch {
    // A proxy or a getter may throw. `show` below handles such a value.
  }
  return new Error(`a value was thrown that is not an Error: ${show(thrown)}`);
}

/** Formats a value for a message. JSON has no `NaN` and no `Infinity`. */
export function show(value: unknown): string {
  try {
    if (typeof value === "number") return String(value);
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}

/** Returns true for an error that the language or Node threw, not code on purpose: in Go it would be a panic. */
export function isProgrammingError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    !(error instanceof Error)
  );
}

/** The message for a function that doesn't end. */
export function stillRuns(milliseconds: number): string {
  return `it still runs after ${Math.round(milliseconds / 1000)} s`;
}

/** Calls a function with each item, also after errors. Throws the first error in the end. */
export function eachDespiteErrors<T>(items: Iterable<T>, run: (item: T) => void): void {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      run(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
