import { inspect } from "node:util";
import { TsbuilderError } from "../shared/errors.ts";

/** How long the same trouble is told only once. */
const quiet = 30_000;

/** Tells of what a running cluster fails with: a full disk as something to mend, once in a while, and the unforeseen. */
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
      new TsbuilderError("the disk is full, so the cluster refuses writes; nothing is lost", {
        code: "REFUSED",
        hint: "make room: the cluster goes on by itself",
        cause: error,
      }),
    );
  };
}

/** Writes a failure where there is no session to show it: in a sentence if it can be mended, else in full. */
export function formatFailure(error: unknown): string {
  const text = error instanceof TsbuilderError ? `${error.message}\nhint: ${error.hint}` : inspect(error);
  return `cluster: ${text}\n`;
}

function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "ENOSPC" || (cause !== undefined && isDiskFull(cause));
}
