import type { Clock } from "@tsbuilder/apimachinery/time";

/** Delays before retries; all times in milliseconds. */
export interface BackoffSettings {
  readonly base: number;
  readonly max: number;
  /** Retries per second over all keys, with a burst of ten times as many. */
  readonly retriesPerSecond?: number | undefined;
  /** A delay instead of `base` and `max`, if it returns one. */
  readonly delay?: ((retries: number, key: string) => number | undefined) | undefined;
}

/** controller-runtime's delays: 5 ms doubling to 1000 s, without a limit over all keys. */
export const defaultBackoff: BackoffSettings = { base: 5, max: 1_000_000 };

/** Counts the retries of each key, and computes the delay before the next one. */
export class Backoff {
  readonly #settings: BackoffSettings;
  readonly #clock: Clock;
  readonly #retries = new Map<string, number>();
  /** When the token bucket would be full again without further retries. */
  #fullAt = 0;

  constructor(settings: BackoffSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Counts a retry, and returns the delay before it in milliseconds. */
  next(key: string): number {
    const retries = this.#retries.get(key) ?? 0;
    this.#retries.set(key, retries + 1);
    const { base, max, delay } = this.#settings;
    // 2 ** 1024 is infinite, and the minimum of that is still `max`.
    return Math.max(delay?.(retries, key) ?? Math.min(base * 2 ** retries, max), this.#reserve());
  }

  retries(key: string): number {
    return this.#retries.get(key) ?? 0;
  }

  /** The number of keys that were retried more often than that. */
  countAbove(retries: number): number {
    let count = 0;
    for (const each of this.#retries.values()) if (each > retries) count++;
    return count;
  }

  forget(key: string): void {
    this.#retries.delete(key);
  }

  #reserve(): number {
    const { retriesPerSecond } = this.#settings;
    if (retriesPerSecond === undefined) return 0;
    const interval = 1000 / retriesPerSecond;
    const now = this.#clock.monotonic();
    const burst = Math.max(1, 10 * retriesPerSecond) * interval;
    this.#fullAt = Math.max(this.#fullAt, now) + interval;
    return Math.max(0, this.#fullAt - now - burst);
  }
}
