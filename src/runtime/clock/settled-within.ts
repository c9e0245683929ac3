import type { Clock } from "@tsbuilder/apimachinery/time";

/** Waits for a promise that doesn't reject, but not for ever: when the time is over, `onLate` is told and the wait ends. */
export function settledWithin(
  clock: Clock,
  milliseconds: number,
  promise: Promise<void>,
  onLate: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(() => {
      onLate();
      resolve();
    }, milliseconds);
    void promise.then(() => {
      cancel();
      resolve();
    });
  });
}
