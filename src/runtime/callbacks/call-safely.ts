import { thrownError } from "./thrown-error.ts";

/** Calls a user's function that returns nothing: what it throws, now or asynchronously, is passed to `onError`. */
export function callSafely(run: () => unknown, onError: (error: Error) => void): void {
  try {
    const result = run();
    if (isThenable(result)) result.then(undefined, (thrown) => onError(thrownError(thrown)));
  } catch (thrown) {
    onError(thrownError(thrown));
  }
}

/** Whether a function returned a promise after all, as an `async` one may even if its type says void. */
export function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/**
 * Returns the result of a user's function that can't be awaited. Throws if it is a promise after all: any promise looks
 * like `true`, and nobody would notice that it is rejected.
 */
export function synchronous<T>(result: T): T {
  if (!isThenable(result)) return result;
  result.then(undefined, () => {});
  throw new TypeError("it returned a promise: it can't be async");
}

/** Emits a Node warning when the user's error handler itself fails. */
export function warnOf(what: string): (error: Error) => void {
  return ({ message }) => process.emitWarning(`${what} failed: ${message}`);
}
