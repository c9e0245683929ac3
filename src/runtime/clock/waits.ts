// Waits for a time, a signal or an event, on a clock that tests can move; and reads the durations of options.
// `time-slices.ts` says how much of each turn of the event loop work may take.

import { setMaxListeners } from "node:events";
import { type Clock, parseDuration } from "@tsbuilder/apimachinery/time";
import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/api-error.ts";

/** Signals whose limit of listeners was removed. */
const unlimitedSignals = new WeakSet<AbortSignal>();

/**
 * Calls a listener when a signal is aborted, and at once if it already is, so callers needn't check the signal first.
 * Returns a function that removes the listener. Node warns of a leak at eleven listeners of one signal, but a reconcile
 * may well make twenty concurrent calls.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  if (!signal || signal.aborted) return () => {};
  if (!unlimitedSignals.has(signal)) {
    unlimitedSignals.add(signal);
    setMaxListeners(0, signal);
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, resolve));
}

/** Waits for a promise, but rejects with the signal's reason once the signal is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(forget);
  });
}

/** Resolves after the given number of milliseconds; rejects with the signal's reason. Leaves no timer behind. */
export async function wait(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  await waitWithClock(clock, milliseconds, signal);
  signal?.throwIfAborted();
}

/**
 * Resolves after the given time, or when the signal is aborted; the caller checks which it was. Leaves no timer behind.
 */
export function waitWithClock(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = () => {
      cancel();
      forget();
      resolve();
    };
    const cancel = clock.setTimer(finish, milliseconds);
    const forget = onAbort(signal, finish);
  });
}

/** Waits for a promise that doesn't reject, up to a time limit. When the limit is reached, calls `onLate`. */
export function settledWithin(
  clock: Clock,
  milliseconds: number,
  promise: Promise<void>,
  onLate: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(() => {
      onLate();
      resolve();
    }, milliseconds);
    void promise.then(() => {
      cancel();
      resolve();
    });
  });
}

/** Runs a function with a signal that is aborted after a time, or with the given one. */
export async function withTimeout<T>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
  reason = (): Error => new DOMException(`no answer within ${Math.round(milliseconds)} ms`, "TimeoutError"),
): Promise<T> {
  const abort = new AbortController();
  const cancel = clock.setTimer(() => abort.abort(reason()), milliseconds);
  const forget = onAbort(signal, () => abort.abort(signal?.reason));
  try {
    return await run(abort.signal);
  } finally {
    cancel();
    forget();
  }
}

/** A one-time event that any number of callers can wait for. */
export class Latch {
  #state: "shut" | "open" | { readonly broken: Error } = "shut";
  readonly #waiters = new Set<{ resolve: () => void; reject: (reason: Error) => void }>();

  get isOpen(): boolean {
    return this.#state === "open";
  }

  open(): void {
    if (this.#state !== "shut") return;
    this.#state = "open";
    for (const { resolve } of this.#waiters) resolve();
  }

  /** Rejects all waits: the event can't happen any more. */
  break(reason: Error): void {
    if (this.#state !== "shut") return;
    this.#state = { broken: reason };
    for (const { reject } of this.#waiters) reject(reason);
  }

  /** Resolves when the event has happened; rejects with the signal's reason, or if the event can't happen any more. */
  wait(signal?: AbortSignal): Promise<void> {
    if (this.#state === "open") return Promise.resolve();
    if (this.#state !== "shut") return Promise.reject(this.#state.broken);
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        forget();
        this.#waiters.delete(waiter);
        finish();
      };
      const waiter = {
        resolve: () => settle(resolve),
        reject: (reason: Error) => settle(() => reject(reason)),
      };
      const forget = onAbort(signal, () => waiter.reject(signal?.reason as Error));
      this.#waiters.add(waiter);
    });
  }
}

/** Parses an option that is a duration, in milliseconds; the error for an invalid one names the option. */
export function readDuration(option: string, duration: DurationLike): number {
  try {
    return parseDuration(duration);
  } catch (cause) {
    throw new TerminalError(
      `${option} is ${JSON.stringify(duration)}, which is not a duration: write it like "30s" or "1h30m"`,
      { cause },
    );
  }
}
