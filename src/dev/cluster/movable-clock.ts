import { setImmediate } from "node:timers/promises";
import { type Clock, type Participant, backgroundClock } from "@tsbuilder/apimachinery/time";

interface Timer {
  readonly at: number;
  readonly run: () => void;
  cancel?: () => void;
}

/** The system time, which can be moved forward for background work. A move fires the timers on its way, each at its own time. */
export class MovableClock implements Clock {
  /** Whole milliseconds ahead of the system time. */
  #ahead = 0;
  readonly #timers = new Set<Timer>();
  readonly #participants = new Set<Participant>();

  /** The milliseconds by which the clock has been moved. */
  get ahead(): number {
    return this.#ahead;
  }

  now(): number {
    return Date.now() + this.#ahead;
  }

  monotonic(): number {
    return performance.now() + this.#ahead;
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    const timer: Timer = { at: this.monotonic() + Math.max(0, milliseconds), run };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => this.#drop(timer);
  }

  /** Adds a participant, for whose work a move waits. Returns a function that removes it. */
  join(participant: Participant): () => void {
    this.#participants.add(participant);
    return () => void this.#participants.delete(participant);
  }

  /** Moves the time from timer to timer, between which participants finish their work. An aborted signal ends the move. */
  async move(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const end = this.#ahead + milliseconds;
    await this.#settle(signal);
    for (let next = this.#earliest(); next; next = this.#earliest()) {
      const needed = Math.ceil(next.at - performance.now());
      if (needed > end || signal?.aborted === true) break;
      this.#ahead = Math.max(this.#ahead, needed);
      this.#drop(next);
      next.run();
      await this.#settle(signal);
    }
    if (signal?.aborted !== true) this.#ahead = end;
    for (const timer of this.#timers) this.#arm(timer);
    await this.#settle(signal);
  }

  #arm(timer: Timer): void {
    timer.cancel?.();
    // Node's timer fires early if the wait is longer than it supports.
    timer.cancel = backgroundClock.setTimer(() => {
      if (timer.at > this.monotonic()) return this.#arm(timer);
      this.#timers.delete(timer);
      timer.run();
    }, timer.at - this.monotonic());
  }

  #drop(timer: Timer): void {
    timer.cancel?.();
    this.#timers.delete(timer);
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers) if (!earliest || timer.at < earliest.at) earliest = timer;
    return earliest;
  }

  /** Waits until no participant works. Two turns of the event loop let chains of promises finish that wait for nothing else. */
  async #settle(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      await setImmediate();
      await setImmediate();
      const working = [...this.#participants].flatMap((participant) => participant() ?? []);
      if (working.length === 0 || signal?.aborted === true) return;
      await doneOrAborted(Promise.all(working), signal);
    }
  }
}

/** Waits for work, and returns true; returns false as soon as a signal is aborted, while the work goes on. */
export function doneOrAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => resolve(false);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    work.then(() => resolve(true), reject).finally(() => signal?.removeEventListener("abort", giveUp));
  });
}
