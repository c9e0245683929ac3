import type { Clock } from "@tsbuilder/apimachinery/time";

/** Like client-go's recorder: a burst of 25 events per object, then one every five minutes. */
const burst = 25;
const refillEvery = 300_000;

/** How many objects are tracked, so that memory is bounded in a busy cluster. */
const maxObjects = 4096;

/** Prevents an object that fails repeatedly from filling etcd with different Events. */
export class SpamFilter {
  readonly #clock: Clock;
  /** By object, the least recently used one first. */
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an event of an object, and returns whether it may be sent. */
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
