/** A source of time. Runtime and cluster read the time from a clock, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go backwards, even if the date is set. For measuring durations. */
  monotonic(): number;
  /**
   * Calls `run` once after the given time. Returns a function that cancels the call. A timer for `upkeep` keeps things as
   * they are while nothing happens, such as a watch's next bookmark: simulated time may pass without it.
   */
  setTimer(run: () => void, milliseconds: number, purpose?: TimerPurpose): () => void;
  /**
   * A `FakeClock` waits for its participants before it fires the next timer. Returns a function that leaves again. Only
   * work that needs no timer of this clock may join: a participant that waits for one would never be done.
   */
  join?(participant: Participant): () => void;
}

/** Default: `work`. */
export type TimerPurpose = "work" | "upkeep";

/** Returns a promise for the work in progress, or undefined when there is none. */
export type Participant = () => Promise<unknown> | undefined;

/** The longest timer of Node.js, in milliseconds; a longer one would fire at once. */
const maxTimer = 2 ** 31 - 1;

/** The property of `globalThis` in which the starter of a process may leave it another clock. */
const clockSymbol = Symbol.for("@tsbuilder/clock");

const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(run, milliseconds) {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), maxTimer));
    return () => clearTimeout(timer);
  },
};

/**
 * The system time. Its timers keep the process alive. In `tsbuilder dev` it is a clock that the page can move forward,
 * which dev leaves to the operator's process.
 */
export const systemClock: Clock =
  (globalThis as { readonly [clockSymbol]?: Clock })[clockSymbol] ?? realClock;

/** The system time for background work: its timers don't keep the process alive. */
export const backgroundClock: Clock = {
  ...realClock,
  setTimer(run, milliseconds) {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), maxTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
