import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Random } from "@tsbuilder/apimachinery/sample";

/** The time, randomness and machine that code sees while a simulation runs it. */
export interface Environment {
  /** The owner of the code: the name of a process, `cluster` or `user`. */
  readonly who: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Sockets, child processes, workers and writing of files are refused with an OutsideError. */
  readonly isClosed: boolean;
  /** Runs a function in the next turn of the simulated event loop. */
  readonly enqueue: (run: () => void) => void;
  /** Stands in for all servers that `fetch()` reaches; returns undefined for one that it can't reach. Default: none can be. */
  readonly http?: (request: Request) => Promise<Response> | undefined;
  /** Is called with a rejection that nobody handles. Default: Node's own way. */
  readonly onRejection?: (error: unknown) => void;
}

const storage = new AsyncLocalStorage<Environment>();

/** Returns the environment of the calling code; undefined outside of simulations. */
export function environment(): Environment | undefined {
  return storage.getStore();
}

/** Runs a function, and whatever it starts, in the given environment. */
export function inside<R>(around: Environment, run: () => R): R {
  return storage.run(around, run);
}

/** Runs a function, and whatever it starts, outside of all environments: in real time, on the real machine. */
export function outside<R>(run: () => R): R {
  return storage.exit(run);
}

/** Binds a function to the async context of the caller: to its environment, and to its reconcile. */
export function inContext(run: () => void): () => void {
  const context = new AsyncResource("simulation");
  return () => context.runInAsyncScope(run);
}

/** Code of a simulated process reached for something that the simulation doesn't control, and so couldn't repeat. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  readonly code = "ERR_OUTSIDE_SIMULATION";

  constructor(what: string, instead: string) {
    super(`${what} is outside of the simulation, which could not repeat it: ${instead}`);
  }
}
