/** Where the cluster gets its time from, so that tests can move it. */
export interface Clock {
  now(): Date;
  /** Calls back once after a while; the answer calls it off. */
  after(milliseconds: number, run: () => void): () => void;
}

/** The machine's time. Its timers don't keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(milliseconds, run) {
    const timer = setTimeout(run, Math.min(milliseconds, 2 ** 31 - 1));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
