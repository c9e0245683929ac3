import timers from "node:timers";
import { type Environment, environment } from "./environment.ts";

interface SleepOptions {
  readonly signal?: AbortSignal;
}

type Sleep<Args extends unknown[]> = (...args: Args) => Promise<unknown>;

function sleep<R>(
  { clock }: Environment,
  delay: number | undefined,
  value: R,
  options: SleepOptions,
): Promise<R> {
  return until(value, options, (done) => clock.setTimer(done, delay ?? 1));
}

function turn<R>({ enqueue }: Environment, value: R, options: SleepOptions): Promise<R> {
  return until(value, options, (done) => {
    enqueue(done);
    return () => {};
  });
}

/** Ticks that nobody took in time come at once, as Node's do. */
async function* ticks<R>(
  around: Environment,
  delay: number,
  value: R,
  options: SleepOptions,
): AsyncGenerator<R> {
  const { clock } = around;
  for (let next = clock.monotonic() + delay; ; next += delay)
    yield await sleep(around, Math.max(0, next - clock.monotonic()), value, options);
}

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
      return around ? sleep(around, delay, value, options) : real(delay, value, options);
    },
  setInterval:
    (
      real: (delay?: number, value?: unknown, options?: SleepOptions) => AsyncIterable<unknown>,
    ): typeof real =>
    (delay, value, options = {}) => {
      const around = environment();
      return around ? ticks(around, delay || 1, value, options) : real(delay, value, options);
    },
  setImmediate:
    (real: Sleep<[unknown?, SleepOptions?]>): typeof real =>
    (value, options = {}) => {
      const around = environment();
      return around ? turn(around, value, options) : real(value, options);
    },
};

/** The methods of `scheduler` in `node:timers/promises`. */
export const schedulers = {
  wait:
    (real: Sleep<[number?, SleepOptions?]>) =>
    (delay?: number, options: SleepOptions = {}): Promise<unknown> => {
      const around = environment();
      return around
        ? sleep(around, delay, undefined, options)
        : real.call(timers.promises.scheduler, delay, options);
    },
  yield: (real: Sleep<[]>) => (): Promise<unknown> => {
    const around = environment();
    return around ? turn(around, undefined, {}) : real.call(timers.promises.scheduler);
  },
};

/** `AbortSignal.timeout()`. */
export function virtualTimeout(real: (delay: number) => AbortSignal): typeof real {
  return (delay) => {
    const around = environment();
    if (!around) return real.call(AbortSignal, delay);
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    around.clock.setTimer(() => controller.abort(reason), delay);
    return controller.signal;
  };
}
