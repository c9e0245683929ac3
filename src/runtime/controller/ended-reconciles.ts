/** How many are remembered. */
const remembered = 10;

/** The last reconciles that ended, to find out what ran a moment ago. */
export class EndedReconciles {
  readonly #ended: { readonly key: string; readonly at: number }[] = [];

  add(key: string): void {
    this.#ended.push({ key, at: performance.now() });
    if (this.#ended.length > remembered) this.#ended.shift();
  }

  /** The keys of those that ended after a time of `performance.now()`. */
  since(moment: number): readonly string[] {
    return this.#ended.filter(({ at }) => at >= moment).map(({ key }) => key);
  }
}
