import type { Clock } from "@tsbuilder/apimachinery/time";

/**
 * The clock of a controller. It stands still during a reconcile: what is not due when a status is computed is not due
 * either when the reconcile says when to come back. Otherwise the reconcile would not ask to come back, and nobody would look again.
 */
export class ReconcileClock implements Clock {
  readonly #clock: Clock;
  #time: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#time ?? this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    return this.#clock.setTimer(run, milliseconds);
  }

  /** Runs a reconcile at the present time. */
  async during<T>(reconcile: () => Promise<T>): Promise<T> {
    this.#time = this.#clock.now();
    try {
      return await reconcile();
    } finally {
      this.#time = undefined;
    }
  }
}
