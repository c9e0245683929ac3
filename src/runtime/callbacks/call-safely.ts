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

/** Emits a Node warning when the user's error handler itself fails. */
export function warnOf(what: string): (error: Error) => void {
  return ({ message }) => process.emitWarning(`${what} failed: ${message}`);
}
