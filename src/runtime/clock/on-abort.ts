import { setMaxListeners } from "node:events";

/** Signals that may have any number of listeners. */
const patient = new WeakSet<AbortSignal>();

/**
 * Calls a listener when a signal is aborted, and at once if it already is: nobody has to look at the signal before.
 * Returns a function that removes the listener. Node warns of a leak at eleven listeners of one signal, but a reconcile
 * may well make twenty concurrent calls.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  if (!signal || signal.aborted) return () => {};
  if (!patient.has(signal)) {
    patient.add(signal);
    setMaxListeners(0, signal);
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** Waits for a promise, but rejects with the signal's reason once the signal is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason as Error));
    promise.then(resolve, reject).finally(forget);
  });
}
