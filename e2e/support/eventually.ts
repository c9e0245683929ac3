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
class Wait {
  /** Why it was not there when it was looked for last. */
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

  /** Ends the wait at once, even while a check runs: what was missing then stays the reason. */
  end(reason: string): Error {
    const error = this.explain(reason);
    this.isOver = true;
    this.#reject(error);
    return error;
  }

  /** The error of an assertion carries its difference, so it stays as the cause. */
  explain(reason: string): Error {
    const { failure, watched } = this;
    const message = failure instanceof Error ? failure.message : String(failure);
    const output = watched ? `\noutput:\n${watched.output}` : "";
    return new Error(`${reason}: ${message}${output}`, { cause: failure });
  }
}

const current = new AsyncLocalStorage<Set<Wait>>();

/** How soon a check is tried again while nothing tells of a change. */
const interval = 20;

/** How long a wait may take that no test runner ends: in a program, or while a test file is loaded. */
const limitWithoutRunner = 60_000;

/**
 * Calls a check until it neither throws nor returns false, and resolves with what it returned. In a test there is no
 * limit but that of the test runner, which `reportWaits` explains, unless one is given in milliseconds. Where something
 * is watched, the check is tried whenever that prints, and the wait fails as soon as it has ended.
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
 * Runs a test or a hook. If it ends while it waits, this rejects with why the state was not there. The signal says that
 * the test's time is up: its waits end before the hooks after it stop what they ask.
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
