import { hasRange, type Ranges } from "../shards/ranges.ts";

/** The reconciles that run, each with its range if the controller's objects are shared. */
export class RunningReconciles {
  readonly #ranges = new Map<AbortController, number | undefined>();
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#ranges.size;
  }

  begin(abort: AbortController, range: number | undefined): void {
    this.#ranges.set(abort, range);
  }

  end(abort: AbortController): void {
    this.#ranges.delete(abort);
    for (const look of this.#waiting) look();
  }

  /** Resolves when none of these ranges runs. */
  idle(ranges: Ranges): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#of(ranges).length > 0) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  abort(ranges: Ranges, reason: unknown): void {
    for (const abort of this.#of(ranges)) abort.abort(reason);
  }

  abortAll(reason: unknown): void {
    for (const abort of this.#ranges.keys()) abort.abort(reason);
  }

  #of(ranges: Ranges): AbortController[] {
    return [...this.#ranges]
      .filter(([, range]) => range !== undefined && hasRange(ranges, range))
      .map(([abort]) => abort);
  }
}
