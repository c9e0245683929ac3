import { environment } from "./environment.ts";

interface SleepOptions {
  readonly signal?: AbortSignal;
}

type Sleep<Args extends unknown[]> = (...args: Args) => Promise<unknown>;

function until<R>(value: R, { signal }: SleepOptions, start: (done: () => void) => () => void): Promise<R> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = start(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The functions of `node:timers/promises`, on the clock of the environment. */
export const sleepers = {
  setTimeout:
    (real: Sleep<[number?, unknown?, SleepOptions?]>): typeof real =>
    (delay, value, options = {}) => {
      const around = environment();
      if (!around) return real(delay, value, options);
      return until(value, options, (done) => around.clock.setTimer(done, delay ?? 1));
    },
  setImmediate:
    (real: Sleep<[unknown?, SleepOptions?]>): typeof real =>
    (value, options = {}) => {
      const around = environment();
      if (!around) return real(value, options);
      return until(value, options, (done) => {
        around.enqueue(done);
        return () => {};
      });
    },
};
