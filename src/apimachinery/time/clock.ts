/** Where time comes from. Runtime and cluster take it from a clock, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only grow, whatever happens to the date. Spans are measured with it. */
  monotonic(): number;
  /** Calls once after a time, and returns a function that cancels the call. */
  setTimer(run: () => void, milliseconds: number): () => void;
  /**
   * Clocks that tests move wait for whoever joins before they move on. Returns a function that leaves again; clocks
   * that move by themselves don't have this.
   */
  join?(participant: Participant): () => void;
}

/** Resolves when work that is under way is done, or returns undefined when there is none. */
export type Participant = () => Promise<unknown> | undefined;

/** Node's longest timer; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The machine's time. Its timers keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(run, milliseconds) {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer));
    return () => clearTimeout(timer);
  },
};

/** The machine's time for work in the background: its timers don't keep the process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  setTimer(run, milliseconds) {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
