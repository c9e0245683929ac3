import type { Clock } from "@tsbuilder/apimachinery/time";

/**
 * Waits for a promise that doesn't reject, with a time limit: when it is exceeded, `onLate` is called and the wait
 * ends.
 */
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
