import { setMaxListeners } from "node:events";

/**
 * Calls a listener when a signal is aborted, and returns what takes it off again. Node warns of a leak at eleven
 * listeners of one signal, but a reconcile may well make twenty calls at once.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => {};
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
