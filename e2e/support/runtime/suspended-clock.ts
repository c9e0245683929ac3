import type { Clock } from "@tsbuilder/apimachinery/time";

/**
 * The clock of a process that can be suspended: its time goes on, but its timers fire when it is resumed, like those of
 * a virtual machine that is paused.
 */
export class SuspendedClock implements Clock {
  readonly #clock: Clock;
  #late: (() => void)[] | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    let isCancelled = false;
    const fire = (): void => {
      if (isCancelled) return;
      if (this.#late) this.#late.push(fire);
      else run();
    };
    const cancel = this.#clock.setTimer(fire, milliseconds);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  suspend(): void {
    this.#late ??= [];
  }

  resume(): void {
    const late = this.#late ?? [];
    this.#late = undefined;
    for (const fire of late) fire();
  }
}
