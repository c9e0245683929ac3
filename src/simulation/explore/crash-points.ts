import type { Run } from "../contract/index.ts";

/** Which writes of the operators were died at. A write is one by what it does to which kind, not by whose object it is. */
export interface CrashPoints {
  /** Such as `shop: PATCH ConfigMap`. */
  readonly all: readonly string[];
  readonly missed: readonly string[];
}

/** Collects the crash points of many runs. */
export class CrashCoverage {
  readonly #all = new Set<string>();
  readonly #diedAt = new Set<string>();

  add({ writePoints, diedAt }: Run): void {
    for (const point of writePoints) this.#all.add(point);
    for (const point of diedAt) this.#diedAt.add(point);
  }

  get points(): CrashPoints {
    const all = [...this.#all].sort();
    return { all, missed: all.filter((point) => !this.#diedAt.has(point)) };
  }
}
