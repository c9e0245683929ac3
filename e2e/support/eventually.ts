import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as delay } from "node:timers/promises";

/** What brings a state about and may end before it has, such as a process. */
export interface Watched {
  /** How it ended, if it ended unasked: the state can't come any more. */
  readonly end: string | undefined;
  /** What it has printed so far. */
  readonly output: string;
  /** Resolves when it prints or ends. */
  next(): Promise<unknown>;
}

/** A state that is waited for. */
interface Wait {
  readonly watched: Watched | undefined;
  /** Why it was not there when it was looked for last. */
  failure?: unknown;
  /** The test or hook that waits has ended. */
  isOver: boolean;
}

const current = new AsyncLocalStorage<Set<Wait>>();

/** How soon a check is tried again while nothing tells of a change. */
const interval = 20;

/**
 * Calls a check until it neither throws nor returns false, and resolves with what it returned. There is no limit but
 * that of the test runner, which `reportWaits` explains. Where something is watched, the check is tried whenever that
 * prints, and the wait fails as soon as it has ended.
 */
export async function eventually<R>(
  check: () => R | Promise<R>,
  watched?: Watched,
): Promise<Exclude<R, false>> {
  const waits = current.getStore();
  const wait: Wait = { watched, isOver: false };
  waits?.add(wait);
  try {
    for (;;) {
      const end = watched?.end;
      const changed = watched?.next();
      try {
        const result = await check();
        if (result !== false) return result as Exclude<R, false>;
        wait.failure = new Error("the check returns false");
      } catch (error) {
        wait.failure = error;
      }
      if (end !== undefined) throw explain(wait, end);
      if (wait.isOver) throw wait.failure;
      await Promise.race([delay(interval), ...(changed ? [changed] : [])]);
    }
  } finally {
    waits?.delete(wait);
  }
}

/** Runs a test or a hook. If it ends while it waits, this rejects with why the state was not there. */
export async function reportWaits(run: () => Promise<void>): Promise<void> {
  const waits = new Set<Wait>();
  await current.run(waits, run);
  const failures = [...waits].map((wait) => {
    wait.isOver = true;
    return explain(wait, "the test ended while it waited");
  });
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
}

/** Keeps the error of an assertion, which carries its difference, and adds what is known of the wait. */
function explain({ failure, watched }: Wait, end: string): Error {
  const error =
    failure instanceof Error ? failure : new Error("the check has not returned", { cause: failure });
  const output = watched ? `\noutput:\n${watched.output}` : "";
  error.message = `${end}: ${error.message}${output}`;
  return error;
}
