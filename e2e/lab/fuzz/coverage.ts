import { type Profiler, Session } from "node:inspector/promises";

/** Tells which code ran for the first time, by V8's coverage of blocks. */
export class Coverage {
  readonly #session = new Session();
  /** The offsets of each file that ran before. */
  readonly #covered = new Map<string, Uint8Array>();

  static async start(): Promise<Coverage> {
    const coverage = new Coverage();
    coverage.#session.connect();
    await coverage.#session.post("Profiler.enable");
    await coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return coverage;
  }

  /** The number of offsets in some files that ran since the last call, and never before one that was noted. */
  async take(files: RegExp, { note }: { readonly note: boolean }): Promise<number> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    let found = 0;
    for (const script of result) if (files.test(script.url)) found += this.#compare(script, note);
    return found;
  }

  /** How many offsets ran at all. */
  get size(): number {
    return [...this.#covered.values()].reduce(
      (sum, file) => sum + file.reduce((all, one) => all + one, 0),
      0,
    );
  }

  #compare({ url, functions }: Profiler.ScriptCoverage, note: boolean): number {
    const ranges = functions.flatMap((one) => one.ranges);
    const length = Math.max(...ranges.map(({ endOffset }) => endOffset));
    const now = new Uint8Array(length);
    // Outer ranges first: inner ones say where less ran.
    for (const { startOffset, endOffset, count } of ranges.toSorted(
      (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
    ))
      now.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    let before = this.#covered.get(url);
    if (!before || before.length < length) {
      const longer = new Uint8Array(length);
      if (before) longer.set(before);
      this.#covered.set(url, (before = longer));
    }
    let found = 0;
    for (let at = 0; at < length; at++) {
      if (now[at] === 0 || before[at] === 1) continue;
      if (note) before[at] = 1;
      found++;
    }
    return found;
  }
}
