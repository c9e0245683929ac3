// Not the global one: fake timers of a test replace that.
import { setImmediate } from "node:timers";
import type { Clock } from "@tsbuilder/apimachinery/time";

/** How many milliseconds of each turn the work of a manager may take. A step in progress is not interrupted. */
const sliceMilliseconds = 5;

/**
 * Shares the event loop between the work of a manager and everything that must not wait for it: lease renewals, probes,
 * signals, answers of the server. A turn is one iteration of the event loop. Node ends a turn only when no promise is
 * ready, and reconciles that read the cache make each other's promises ready without end. So in each turn only a slice
 * is for work: reconciles, handlers of events, reads of lists. Work that comes after the slice waits for one of the
 * next turns.
 *
 * Slices are measured in system time, because work occupies the processor even while a test's clock stands still.
 */
export class TimeSlices {
  readonly #clock: Clock | undefined;
  readonly #now: () => number;
  /** The end of this turn's slice; undefined until work begins. */
  #until: number | undefined;
  /** In the order in which they continue. */
  readonly #waiting: (() => void)[] = [];
  /** Ends the participation in the test's clock, which stands still while steps wait. */
  #leaveClock: (() => void) | undefined;

  constructor(clock?: Clock, now: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#now = now;
  }

  /** True while the slice of this turn lasts. */
  get isOpen(): boolean {
    const now = this.#now();
    if (this.#until === undefined) {
      this.#until = now + sliceMilliseconds;
      setImmediate(() => this.#nextTurn());
    }
    return now < this.#until;
  }

  /** Undefined while the slice of this turn lasts; then a promise to await before the next step of a computation. */
  pause(): Promise<void> | undefined {
    if (this.isOpen) return undefined;
    return new Promise((resolve) => this.#wait(resolve));
  }

  /** Runs a step when no promise is ready: all chains of promises have ended, or wait for a timer or for I/O. */
  afterPromises(step: () => void): void {
    // Node runs a tick that a microtask adds when no further microtask is ready.
    queueMicrotask(() => process.nextTick(() => (this.isOpen ? step() : this.#wait(step))));
  }

  #wait(step: () => void): void {
    this.#waiting.push(step);
    this.#leaveClock ??= this.#clock?.join?.(() => new Promise<void>((resolve) => this.#wait(resolve)));
  }

  #nextTurn(): void {
    this.#until = undefined;
    this.#continueNext();
  }

  /**
   * Continues the steps that wait, one after the other, while the slice lasts. It is checked again when a step and
   * everything that it made ready have run: if ten workers continued at once, a turn could last ten times as long.
   */
  #continueNext(): void {
    const next = this.#waiting[0];
    if (!next || !this.isOpen) return;
    this.#waiting.shift();
    if (this.#waiting.length === 0) {
      this.#leaveClock?.();
      this.#leaveClock = undefined;
    }
    next();
    queueMicrotask(() => process.nextTick(() => this.#continueNext()));
  }
}
