/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#state = seed | 0;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number; both bounds are included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  /** Returns the items of a list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const keyed = list.map((item) => ({ item, at: this.next() }));
    return keyed.sort((a, b) => a.at - b.at).map(({ item }) => item);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /**
   * Derives a source for one purpose from the seed. Its numbers don't depend on how many others were drawn, so that a new
   * draw somewhere leaves all other traces as they were.
   */
  fork(purpose: string): Random {
    let hash = this.#seed | 0;
    for (let at = 0; at < purpose.length; at++)
      hash = Math.imul(hash ^ purpose.charCodeAt(at), 0x01000193) ^ (hash >>> 13);
    return new Random(hash);
  }
}
