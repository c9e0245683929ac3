import type { Clock } from "@tsbuilder/apimachinery/time";
import { inContext } from "../globals/index.ts";

/** The clock of one process: its date may be wrong, and its timers end with it. */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  readonly #guarded: (run: () => void) => () => void;
  readonly #timers = new Set<() => void>();
  #isStopped = false;
  /** By how many milliseconds its date differs. */
  offset: number;

  constructor(world: Clock, offset = 0, guarded: (run: () => void) => () => void = (run) => run) {
    this.#world = world;
    this.offset = offset;
    this.#guarded = guarded;
  }

  now(): number {
    return this.#world.now() + this.offset;
  }

  monotonic(): number {
    return this.#world.monotonic();
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    if (this.#isStopped) return () => {};
    // A process that stands still runs it later, and may cancel it before.
    const fire = inContext(() => {
      if (this.#timers.delete(cancel)) run();
    });
    // As in Node, where code that sets timers without end leaves time to others, too.
    const cancel = this.#world.setTimer(this.#guarded(fire), Math.max(1, milliseconds));
    this.#timers.add(cancel);
    return () => {
      if (this.#timers.delete(cancel)) cancel();
    };
  }

  /** No timer fires any more. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
