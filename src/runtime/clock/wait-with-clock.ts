import { onAbort } from "./on-abort.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";

/**
 * Resolves after the given time, or when the signal is aborted; the caller checks which it was. Leaves no timer behind.
 */
export function waitWithClock(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      cancel();
      forget();
      resolve();
    };
    const cancel = clock.setTimer(finish, milliseconds);
    const forget = onAbort(signal, finish);
  });
}
