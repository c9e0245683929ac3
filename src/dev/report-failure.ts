import { inspect } from "node:util";
import { TsbuilderError } from "../shared/errors.ts";

/** Time in which the same problem is reported only once. */
const quiet = 30_000;

/**
 * Reports problems of a running cluster: a full disk as something to fix, at most once per interval, and unexpected
 * errors.
 */
export function failureReporter(
  tell: (error: unknown) => void,
  now: () => number = Date.now,
): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!isDiskFull(error)) return tell(error);
    if (now() - toldAt < quiet) return;
    toldAt = now();
    tell(
      new TsbuilderError("the disk is full, so the cluster rejects writes; no data is lost", {
        code: "REFUSED",
        hint: "free some space: the cluster then continues by itself",
        cause: error,
      }),
    );
  };
}

/** Prints a failure without a session to show it: one line if the user can fix it, else the full error. */
export function formatFailure(error: unknown): string {
  const text = error instanceof TsbuilderError ? `${error.message}\nhint: ${error.hint}` : inspect(error);
  return `cluster: ${text}\n`;
}

function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ENOSPC" || (cause !== undefined && isDiskFull(cause));
}
