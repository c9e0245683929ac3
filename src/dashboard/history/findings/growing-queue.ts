import type { Sample } from "../samples.ts";
import type { Detector, Finding } from "./finding.ts";
import { dropOlder, held, type Level, steadyGrowth } from "./steady-growth.ts";
import { span } from "./words.ts";

/** For so many milliseconds a queue must grow, by so many requests. */
const [stretch, least] = [120_000, 20];

interface Growing {
  readonly controller: string;
  readonly workers: number;
  readonly from: number;
  readonly first: number;
  at: number;
  last: number;
}

/** Controllers that get more to do than they do. */
export class GrowingQueueDetector implements Detector {
  readonly #levels = new Map<string, Level[]>();
  readonly #growing = new Map<string, Growing>();
  readonly #told: Growing[] = [];
  #since = Number.NaN;

  seeSample({ at, since, controllers }: Sample): void {
    if (since !== this.#since) this.#begin(since);
    for (const { controller, queued, workers } of controllers) {
      const levels = this.#levels.get(controller) ?? [];
      this.#levels.set(controller, levels);
      levels.push({ at, value: queued });
      dropOlder(levels, at, stretch);
      this.#judge(controller, workers, levels);
    }
  }

  /** What another process did is over. */
  #begin(since: number): void {
    this.#since = since;
    this.#told.push(...this.#growing.values());
    this.#levels.clear();
    this.#growing.clear();
  }

  #judge(controller: string, workers: number, levels: readonly Level[]): void {
    const { at, value } = levels.at(-1)!;
    const before = this.#growing.get(controller);
    // It was a lot at once, and is done with.
    if (before && value < before.last / 2) this.#growing.delete(controller);
    if ((steadyGrowth(levels, at - stretch, at, held) ?? 0) < least) return;
    const from = at - stretch;
    const begun = before ?? { controller, workers, from, first: held(levels, from) ?? 0 };
    this.#growing.set(controller, { ...begun, at, last: value });
  }

  found(): Finding[] {
    return [...this.#told, ...this.#growing.values()].map(
      ({ controller, workers, from, first, at, last }) => ({
        kind: "growing queue",
        title: `${controller} gets more to do than it does`,
        text: `${last} requests wait in the queue of ${controller}, ${span(at - from)} before it were ${first}, and it only grew: ${workers === 1 ? "let it reconcile more than one at once (maxConcurrentReconciles)" : `let it reconcile more than ${workers} at once (maxConcurrentReconciles)`}, have a reconcile take less time, or ask for fewer`,
        from,
        at,
        places: [],
        requests: [],
      }),
    );
  }
}
