import type { Clock } from "@tsbuilder/apimachinery/time";

/** Runs a function with a signal that is aborted after a time, or with the given one. */
export async function withTimeout<T>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal.reason);
  const cancel = clock.setTimer(
    () => abort.abort(new DOMException(`no answer within ${Math.round(milliseconds)} ms`, "TimeoutError")),
    milliseconds,
  );
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await run(abort.signal);
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}
