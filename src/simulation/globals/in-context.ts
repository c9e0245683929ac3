import { AsyncResource } from "node:async_hooks";

/** A function that runs where it was made: in the same environment, and the same reconcile. */
export function inContext(run: () => void): () => void {
  const context = new AsyncResource("simulation");
  return () => context.runInAsyncScope(run);
}
