import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import timers from "node:timers";
import childProcess from "node:child_process";
import fs from "node:fs";
import dgram from "node:dgram";
import net from "node:net";
import workers from "node:worker_threads";
import { promisify } from "node:util";
import { type Environment, OutsideError, environment, inContext } from "./environment.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";

/** The number of calls of `withVirtualGlobals` under way: the first one replaces the globals, the last one restores them. */
let activeCalls = 0;
let replacements: Replacements | undefined;

/**
 * Runs a function while Node's globals for time, randomness and the machine's name follow the environment, in all code that
 * `inside` runs. Other code, such as the test runner's, still sees the real ones.
 */
export async function withVirtualGlobals<R>(run: () => Promise<R>): Promise<R> {
  if (activeCalls++ === 0) replacements = replaceAll();
  try {
    return await run();
  } finally {
    if (--activeCalls === 0) {
      replacements?.undo();
      syncBuiltinESMExports();
    }
  }
}

interface SleepOptions {
  readonly signal?: AbortSignal;
}

/** The functions of `node:timers/promises`, on the clock of the environment. */
const timerPromises = {
  setTimeout: virtualize((around, delay?: number, value?: unknown, options: SleepOptions = {}) =>
    sleep(around, delay, value, options),
  ),
  setInterval: virtualize(
    (around, delay?: number, value?: unknown, options: SleepOptions = {}): AsyncIterable<unknown> =>
      yieldTicks(around, delay || 1, value, options),
  ),
  setImmediate: virtualize((around, value?: unknown, options: SleepOptions = {}) =>
    nextTurn(around, value, options),
  ),
};

/** The methods of `scheduler` in `node:timers/promises`. */
const virtualScheduler = {
  wait: virtualize((around, delay?: number, options: SleepOptions = {}) =>
    sleep(around, delay, undefined, options),
  ),
  yield: virtualize((around) => nextTurn(around, undefined, {})),
};

const virtualTimeout = virtualize(({ clock }, delay: number): AbortSignal => {
  const controller = new AbortController();
  const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
  clock.setTimer(() => controller.abort(reason), delay);
  return controller.signal;
});

type Drawing = (random: Random, ...args: never[]) => unknown;

/** Functions of `node:crypto` that draw from the environment's randomness. */
const virtualCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  randomBytes,
  randomInt: (random: Random, first: number, end?: number) =>
    end === undefined ? random.integer(0, first - 1) : random.integer(first, end - 1),
  randomFill,
  randomFillSync: randomFill,
};

/** Functions of the global `crypto`; `node:crypto` takes its `getRandomValues` from there. */
const virtualWebCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  getRandomValues,
};

function replaceAll(): Replacements {
  const all = new Replacements();
  all.set(globalThis, "Date", virtualDate);
  all.set(
    Math,
    "random",
    virtualize(({ random }) => random.next()),
  );
  all.set(
    performance,
    "now",
    virtualize(({ clock }) => clock.monotonic()),
  );
  for (const table of [globalThis, timers]) {
    all.set(table, "setTimeout", (real: never) =>
      virtualTimer(real, { repeats: false }, timerPromises.setTimeout),
    );
    all.set(table, "setInterval", (real: never) => virtualTimer(real, { repeats: true }));
    all.set(table, "setImmediate", (real: never) => virtualImmediate(real, timerPromises.setImmediate));
    all.set(table, "clearTimeout", virtualClear);
    all.set(table, "clearInterval", virtualClear);
    all.set(table, "clearImmediate", virtualClearImmediate);
  }
  for (const [name, make] of Object.entries(timerPromises)) all.set(timers.promises, name, make);
  for (const [name, make] of Object.entries(virtualScheduler)) all.set(timers.promises.scheduler, name, make);
  all.set(globalThis, "fetch", virtualFetch);
  all.set(AbortSignal, "timeout", virtualTimeout);
  for (const [name, virtual] of Object.entries(virtualCrypto)) all.set(crypto, name, drawn(virtual));
  for (const [name, virtual] of Object.entries(virtualWebCrypto))
    all.set(globalThis.crypto, name, drawn(virtual));
  all.set(
    os,
    "hostname",
    virtualize(({ who }) => who),
  );
  all.set(process, "emit", keepRejections);
  refuseOutside(all);
  syncBuiltinESMExports();
  return all;
}

type Emit = (event: string, ...args: unknown[]) => boolean;

/** Passes unhandled rejections to the environment that they occur in, and hides them from listeners outside. */
function keepRejections(real: Emit): Emit {
  return function (this: unknown, event, ...args) {
    const onRejection = event === "unhandledRejection" ? environment()?.onRejection : undefined;
    if (!onRejection) return real.call(this, event, ...args);
    onRejection(args[0]);
    return true;
  };
}

/** Makes a function virtual: within a simulation, another one that gets the environment stands in for it. */
function virtualize<Args extends unknown[], R>(virtual: (around: Environment, ...args: Args) => R) {
  return (real: (...args: Args) => R) =>
    function (this: unknown, ...args: Args): R {
      const around = environment();
      return around ? virtual(around, ...args) : real.apply(this, args);
    };
}

type Callback = (...args: unknown[]) => void;

/** Makes the promisified version of a timer function virtual, of which it gets the real one. */
type MakeSleep = (real: never) => unknown;

/** `setTimeout` or `setInterval`: virtual within a simulation. */
function virtualTimer<F extends Callback>(
  real: F,
  { repeats }: { repeats: boolean },
  makeSleep?: MakeSleep,
): F {
  const set = virtualize(
    (around, run: Callback, period?: number, ...args: unknown[]): unknown =>
      new VirtualTimer(around, () => run(...args), { period: period || 1, repeats }),
  );
  return copyProperties(set(real), real, makeSleep);
}

/** The methods of Node's timers that make no difference in a simulation. */
class NodeTimer {
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

/** A timer on the environment's clock, with the methods of Node's. */
class VirtualTimer extends NodeTimer {
  #cancel: () => void = () => {};
  readonly #start: () => () => void;

  constructor(
    around: Environment,
    run: () => void,
    { period, repeats }: { period: number; repeats: boolean },
  ) {
    super();
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

  close(): this {
    this.#cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}

/** Copies the properties of the real function, with a virtual version for `promisify()`. */
function copyProperties<F extends Callback>(virtual: object, real: F, makeSleep?: MakeSleep): F {
  const { [promisify.custom]: custom } = real as { readonly [promisify.custom]?: unknown };
  return Object.assign(virtual, real, makeSleep && { [promisify.custom]: makeSleep(custom as never) });
}

/** `clearTimeout` and `clearInterval`. */
function virtualClear(real: (timer: unknown) => void): (timer: unknown) => void {
  return (timer) => (timer instanceof VirtualTimer ? void timer.close() : real(timer));
}

/** `setImmediate`: virtual within a simulation. */
function virtualImmediate<F extends Callback>(real: F, makeSleep?: MakeSleep): F {
  const set = virtualize(({ enqueue }, run: Callback, ...args: unknown[]): unknown => {
    const immediate = new VirtualImmediate();
    enqueue(
      inContext(() => {
        if (!immediate.isCancelled) run(...args);
      }),
    );
    return immediate;
  });
  return copyProperties(set(real), real, makeSleep);
}

/** A callback in the next turn of the simulated event loop. */
class VirtualImmediate extends NodeTimer {
  isCancelled = false;
}

function virtualClearImmediate(real: (immediate: unknown) => void): (immediate: unknown) => void {
  return (immediate) => {
    if (immediate instanceof VirtualImmediate) immediate.isCancelled = true;
    else real(immediate);
  };
}

function sleep<R>(
  { clock }: Environment,
  delay: number | undefined,
  value: R,
  options: SleepOptions,
): Promise<R> {
  return settle(value, options, (done) => clock.setTimer(done, delay ?? 1));
}

function nextTurn<R>({ enqueue }: Environment, value: R, options: SleepOptions): Promise<R> {
  return settle(value, options, (done) => {
    enqueue(done);
    return () => {};
  });
}

/** Yields on a fixed schedule: a tick that the consumer missed is yielded at once, as by Node. */
async function* yieldTicks<R>(
  around: Environment,
  delay: number,
  value: R,
  options: SleepOptions,
): AsyncGenerator<R> {
  const { clock } = around;
  for (let next = clock.monotonic() + delay; ; next += delay)
    yield await sleep(around, Math.max(0, next - clock.monotonic()), value, options);
}

function settle<R>(value: R, { signal }: SleepOptions, start: (done: () => void) => () => void): Promise<R> {
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

/** Functions of `node:child_process` that are refused in a closed environment. */
const processFunctions = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];

/** Functions of `node:fs` that are refused in a closed environment. */
const fsWrites = [
  "appendFile",
  "chmod",
  "chown",
  "copyFile",
  "cp",
  "link",
  "mkdir",
  "mkdtemp",
  "rename",
  "rm",
  "rmdir",
  "symlink",
  "truncate",
  "unlink",
  "utimes",
  "writeFile",
];

type AnyFunction = ((...args: never[]) => unknown) & { readonly [promisify.custom]?: AnyFunction };

/** Makes functions that reach outside of the process throw an OutsideError in a closed environment. */
function refuseOutside(replacements: Replacements): void {
  const refuse = (
    table: object,
    names: readonly string[],
    what: string,
    instead: string,
    isRefused: (...args: never[]) => boolean = () => true,
  ): void => {
    for (const name of names)
      replacements.set(table, name, (real: AnyFunction) =>
        withCheck(real, (...args) => {
          if (environment()?.isClosed && isRefused(...args))
            throw new OutsideError(`${what}.${name}()`, instead);
        }),
      );
  };
  const passStandIn = "pass the reconciler a function that does it, and a stand-in for it here";
  refuse(childProcess, processFunctions, "child_process", passStandIn);
  refuse(net.Socket.prototype, ["connect"], "Socket", passStandIn);
  refuse(dgram.Socket.prototype, ["bind", "connect", "send"], "dgram.Socket", passStandIn);
  refuse(net.Server.prototype, ["listen"], "Server", "turn the server off in the simulation");
  refuse(workers, ["Worker"], "worker_threads", passStandIn);
  const inMemory = "keep what must survive in the cluster, such as in a ConfigMap";
  refuse(fs, [...fsWrites, ...fsWrites.map((name) => `${name}Sync`), "createWriteStream"], "fs", inMemory);
  refuse(fs.promises, fsWrites, "fs.promises", inMemory);
  refuse(fs, ["open", "openSync"], "fs", inMemory, isForWriting);
  refuse(fs.promises, ["open"], "fs.promises", inMemory, isForWriting);
}

/** Returns whether the flags of an open ask for more than reading. */
const isForWriting = (_path: unknown, flags: unknown): boolean =>
  typeof flags === "string" ? !/^rs?$/.test(flags) : typeof flags === "number" && flags !== 0;

/** Wraps a function, or a class, in a check before each call. */
function withCheck(real: AnyFunction, check: (...args: never[]) => void): AnyFunction {
  function replaced(this: unknown, ...args: never[]): unknown {
    check(...args);
    return new.target ? (Reflect.construct(real, args, new.target) as unknown) : real.apply(this, args);
  }
  // Subclasses and `instanceof` must still work.
  if (real.prototype !== undefined) replaced.prototype = real.prototype as object;
  const { [promisify.custom]: custom } = real;
  // A promisified function is its own promisified version: wrapping that, too, would never end.
  if (!custom || custom === real) return replaced;
  return Object.assign(replaced, { [promisify.custom]: withCheck(custom, check) });
}

type Table = { [name: string]: unknown };

/** Replacements of properties, which can be undone in reverse order. */
class Replacements {
  readonly #undo: Array<() => void> = [];

  set(table: object, name: string, replace: (real: never) => unknown): void {
    const real = Object.getOwnPropertyDescriptor(table, name);
    const value = replace((table as Table)[name] as never);
    Object.defineProperty(table, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: real?.enumerable ?? true,
    });
    this.#undo.push(() => {
      if (real) Object.defineProperty(table, name, real);
      else delete (table as Table)[name];
    });
  }

  undo(): void {
    for (const undo of this.#undo.toReversed()) undo();
  }
}

function randomBytes(random: Random, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++) bytes[at] = random.integer(0, 255);
  return bytes;
}

/** A UUID of version 4. */
function randomUUID(random: Random): string {
  const bytes = randomBytes(random, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Fills a part of a buffer. As in Node, `offset` and `size` count bytes, or the elements of a typed array. */
function randomFill<V extends ArrayBufferView>(random: Random, view: V, offset = 0, size?: number): V {
  const width = "BYTES_PER_ELEMENT" in view ? (view.BYTES_PER_ELEMENT as number) : 1;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const from = offset * width;
  const length = size === undefined ? bytes.length - from : size * width;
  bytes.set(randomBytes(random, length), from);
  return view;
}

function getRandomValues<V extends ArrayBufferView>(random: Random, view: V): V {
  return randomFill(random, view);
}

/** Makes a function of `crypto` draw from the environment's randomness within a simulation. */
const drawn = (virtual: Drawing) =>
  virtualize(({ random, enqueue }, ...args: never[]): unknown => {
    const callback: unknown = args.at(-1);
    if (typeof callback !== "function") return virtual(random, ...args);
    const value = virtual(random, ...args.slice(0, -1));
    enqueue(inContext(() => void callback(null, value)));
    return undefined;
  });

/** `fetch()`, answered by the stand-in of the simulation. */
function virtualFetch(real: typeof fetch): typeof fetch {
  return async (input, init) => {
    const around = environment();
    if (!around?.isClosed) return real(input, init);
    const request = new Request(input, init);
    const response = around.http?.(request);
    if (response) return response;
    const what = `fetch() of ${new URL(request.url).origin}`;
    throw new OutsideError(what, "give the scenario a stand-in that answers, in `external`");
  };
}

/** `Date`, with the environment's time. A proxy of it would make each date, even one of a given time, ten times as dear. */
function virtualDate(real: DateConstructor): DateConstructor {
  const now = (): number => Math.floor(environment()?.clock.now() ?? real.now());
  function virtual(...args: unknown[]): Date | string {
    if (!new.target) return new real(now()).toString();
    const time = args.length === 0 ? [now()] : args;
    return Reflect.construct(real, time, new.target === virtual ? real : new.target) as Date;
  }
  return Object.defineProperties(virtual, {
    ...Object.getOwnPropertyDescriptors(real),
    now: { value: now, writable: true, configurable: true },
  }) as unknown as DateConstructor;
}
