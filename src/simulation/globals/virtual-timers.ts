import { promisify } from "node:util";
import { inContext } from "./in-context.ts";
import { type Environment, environment } from "./environment.ts";

/** A timer on the environment's clock, with the methods of Node's. */
export class VirtualTimer {
  #cancel: () => void = () => {};
  readonly #start: () => () => void;

  constructor(
    around: Environment,
    run: () => void,
    { period, repeats }: { period: number; repeats: boolean },
  ) {
    const fire = inContext(() => {
      if (repeats) this.refresh();
      run();
    });
    this.#start = () => around.clock.setTimer(fire, Math.max(1, period));
    this.#cancel = this.#start();
  }

  refresh(): this {
    this.#cancel();
    this.#cancel = this.#start();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): this {
    this.#cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

/** A callback in the next turn of the simulated event loop. */
class VirtualImmediate {
  isCancelled = false;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

type Callback = (...args: unknown[]) => void;

/** Makes a function that returns a promise virtual. */
type MakeSleep = (real: never) => unknown;

/** What the real function has stays, but for the promise that `promisify()` takes. */
function like<F extends Callback>(virtual: object, real: F, makeSleep?: MakeSleep): F {
  const { [promisify.custom]: custom } = real as { readonly [promisify.custom]?: unknown };
  return Object.assign(virtual, real, makeSleep && { [promisify.custom]: makeSleep(custom as never) });
}

/** `setTimeout` or `setInterval`: virtual within a simulation. */
export function virtualTimer<F extends Callback>(
  real: F,
  { repeats }: { repeats: boolean },
  makeSleep?: MakeSleep,
): F {
  const set = (run: Callback, period = 1, ...args: unknown[]): unknown => {
    const around = environment();
    if (!around) return real(run, period, ...args);
    return new VirtualTimer(around, () => run(...args), { period: period || 1, repeats });
  };
  return like(set, real, makeSleep);
}

/** `clearTimeout` and `clearInterval`. */
export function virtualClear(real: (timer: unknown) => void): (timer: unknown) => void {
  return (timer) => (timer instanceof VirtualTimer ? void timer.close() : real(timer));
}

/** `setImmediate`: virtual within a simulation. */
export function virtualImmediate<F extends Callback>(real: F, makeSleep?: MakeSleep): F {
  const set = (run: Callback, ...args: unknown[]): unknown => {
    const around = environment();
    if (!around) return real(run, ...args);
    const immediate = new VirtualImmediate();
    around.enqueue(
      inContext(() => {
        if (!immediate.isCancelled) run(...args);
      }),
    );
    return immediate;
  };
  return like(set, real, makeSleep);
}

export function virtualClearImmediate(real: (immediate: unknown) => void): (immediate: unknown) => void {
  return (immediate) => {
    if (immediate instanceof VirtualImmediate) immediate.isCancelled = true;
    else real(immediate);
  };
}
