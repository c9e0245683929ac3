import type { Clock } from "@tsbuilder/apimachinery/time";

/** Resolves after a time, or when the signal is aborted: the caller looks which it was. Leaves no timer behind. */
export function waitWithClock(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.setTimer(finish, milliseconds);
    if (signal.aborted) finish();
    else signal.addEventListener("abort", finish, { once: true });
  });
}
