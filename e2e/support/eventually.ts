import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as delay } from "node:timers/promises";

/** The source of a state, which may end before the state is reached, such as a process. */
export interface Watched {
  /** How it ended, if that was not requested: the state can't be reached any more. */
  readonly end: string | undefined;
  /** Its output so far. */
  readonly output: string;
  /** Resolves when it prints or ends. */
  next(): Promise<unknown>;
}

/** A state that is waited for. */
class Wait {
  /** Why the last check failed. */
  failure: unknown = new Error("the check has not returned");
  isOver = false;
  /** Rejects when the wait is ended from outside. */
  readonly ended: Promise<never>;
  readonly watched: Watched | undefined;
  #reject!: (error: Error) => void;

  constructor(watched: Watched | undefined) {
    this.watched = watched;
    this.ended = new Promise((_, reject) => (this.#reject = reject));
  }

  /** Ends the wait at once, even during a check: the last failure stays the reason. */
  end(reason: string): Error {
    const error = this.explain(reason);
    this.isOver = true;
    this.#reject(error);
    return error;
  }

  /** An assertion's error has its diff, so it stays as the cause. */
  explain(reason: string): Error {
    const { failure, watched } = this;
    const message = failure instanceof Error ? failure.message : String(failure);
    const output = watched ? `\noutput:\n${watched.output}` : "";
    return new Error(`${reason}: ${message}${output}`, { cause: failure });
  }
}

const current = new AsyncLocalStorage<Set<Wait>>();

/** The interval between checks as long as no output is seen. */
const interval = 20;

/** The limit of a wait outside of tests: in a program, or while a test file is loaded. */
const limitWithoutRunner = 60_000;

/**
 * Calls a check until it neither throws nor returns false, and resolves with its result. In a test the only limit is
 * the test runner's, which `reportWaits` explains, unless one is given in milliseconds. If a process is watched, the
 * check is repeated whenever that prints, and the wait fails as soon as it has ended.
 */
export async function eventually<R>(
  check: () => R | Promise<R>,
  watched?: Watched,
  limit?: number,
): Promise<Exclude<R, false>> {
  const waits = current.getStore();
  const wait = new Wait(watched);
  waits?.add(wait);
  const most = limit ?? (waits ? undefined : limitWithoutRunner);
  const timer =
    most === undefined ? undefined : setTimeout(() => wait.end(`not there after ${most / 1000} s`), most);
  try {
    return await Promise.race([poll(check, wait), wait.ended]);
  } finally {
    clearTimeout(timer);
    waits?.delete(wait);
  }
}

async function poll<R>(check: () => R | Promise<R>, wait: Wait): Promise<Exclude<R, false>> {
  const { watched } = wait;
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
    if (wait.isOver) return wait.ended;
    if (end !== undefined) throw wait.explain(end);
    await Promise.race([delay(interval), wait.ended, ...(changed ? [changed] : [])]);
  }
}

/**
 * Runs a test or a hook. If it ends during a wait, this rejects with why the state was not reached. The signal aborts
 * when the test times out: its waits end before the hooks after it stop what they check.
 */
export async function reportWaits(run: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  const waits = new Set<Wait>();
  const failures: Error[] = [];
  const end = (): void => {
    for (const wait of waits) failures.push(wait.end("the test ended while it waited"));
    waits.clear();
  };
  signal?.addEventListener("abort", end);
  await current.run(waits, run);
  end();
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
}
