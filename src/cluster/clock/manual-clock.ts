import type { Clock } from "./clock.ts";

interface Alarm {
  readonly at: number;
  readonly run: () => void;
}

/** Time that stands still until it is moved; alarms ring in the order of their times. */
export class ManualClock implements Clock {
  #now: number;
  readonly #alarms = new Set<Alarm>();

  constructor(start: Date = new Date("2030-01-01T00:00:00Z")) {
    this.#now = start.getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  after(milliseconds: number, run: () => void): () => void {
    const alarm = { at: this.#now + Math.max(0, milliseconds), run };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }

  /** Moves time forward and rings every alarm on the way, also those set while it moves. */
  advance(milliseconds: number): void {
    const target = this.#now + milliseconds;
    for (let next = this.#nextBefore(target); next; next = this.#nextBefore(target)) {
      this.#alarms.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = target;
  }

  #nextBefore(target: number): Alarm | undefined {
    let earliest: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.at <= target && (!earliest || alarm.at < earliest.at)) earliest = alarm;
    }
    return earliest;
  }
}
