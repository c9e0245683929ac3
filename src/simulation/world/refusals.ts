/** So often the same attempt may fail until it is clear that it always will. */
const most = 3;

/** Counts the attempts of processes that failed since anything last changed. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  /** Returns whether the next such attempt may still succeed. */
  add(attempt: string): boolean {
    const count = (this.#counts.get(attempt) ?? 0) + 1;
    this.#counts.set(attempt, count);
    return count <= most;
  }

  clear(): void {
    this.#counts.clear();
  }
}
