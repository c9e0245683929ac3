import type { Clock } from "@tsbuilder/apimachinery/time";

/** As kube's recorder: 25 events of one object at once, then one in five minutes. */
const burst = 25;
const refillEvery = 300_000;

/** Objects whose count is kept; more would be memory that a busy cluster never gives back. */
const maxObjects = 4096;

/** Keeps an object that fails again and again from filling etcd with events that all differ. */
export class SpamFilter {
  readonly #clock: Clock;
  /** By object, the one used longest ago first. */
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells whether one more event of an object may pass, and counts it. */
  admits(object: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(object) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillEvery);
    const admitted = tokens >= 1;
    this.#buckets.delete(object);
    this.#buckets.set(object, { tokens: admitted ? tokens - 1 : tokens, at: now });
    if (this.#buckets.size > maxObjects) this.#buckets.delete(this.#buckets.keys().next().value!);
    return admitted;
  }
}
