import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Random } from "../random/random.ts";

/** What code sees of time, chance and its machine while a simulation runs it. */
export interface Environment {
  /** Whose code it is: a process, `cluster` or `user`. */
  readonly who: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether sockets, child processes, workers and writing of files are refused. */
  readonly isClosed: boolean;
  /** Runs a function in the next turn of the simulated event loop. */
  readonly enqueue: (run: () => void) => void;
  /** Stands in for all servers that `fetch()` reaches. Default: none can be reached. */
  readonly http?: ((request: Request) => Promise<Response>) | undefined;
  /** Is told of a rejection that nobody handles. Default: Node's own way. */
  readonly onRejection?: (error: unknown) => void;
}

const storage = new AsyncLocalStorage<Environment>();

/** The environment of the calling code; undefined outside of simulations. */
export function environment(): Environment | undefined {
  return storage.getStore();
}

/** Runs a function, and whatever it starts, in the given environment. */
export function inside<R>(around: Environment, run: () => R): R {
  return storage.run(around, run);
}
