import { thrownError } from "./thrown-error.ts";

/** Calls a function of the user's that answers nothing: what it throws, at once or later, goes to `onError`. */
export function callSafely(run: () => unknown, onError: (error: Error) => void): void {
  try {
    const result = run();
    if (isThenable(result)) result.then(undefined, (thrown) => onError(thrownError(thrown)));
  } catch (thrown) {
    onError(thrownError(thrown));
  }
}

/** Whether a function answered later after all, as an `async` one does wherever its type lets it. */
export function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Says through Node what the one who should be told can't take himself. */
export function warnOf(what: string): (error: Error) => void {
  return ({ message }) => process.emitWarning(`${what} failed: ${message}`);
}
