import { isDeepStrictEqual } from "node:util";
import type { DurationLike } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { CallbackError, eachDespiteErrors, stillRuns } from "../callbacks/callbacks.ts";
import { aborted, onAbort, readDuration, withTimeout } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { Enqueue, Source, SourceContext } from "./source.ts";

/** What a source polls, and how. */
export interface PollOptions<Item, R> {
  /** Time between the end of one poll and the start of the next. */
  readonly every: DurationLike;
  /** Returns all things that there are, such as the records of a zone. */
  readonly list: (signal: AbortSignal) => readonly Item[] | Promise<readonly Item[]>;
  /** Identifies a thing among all, for as long as it exists. */
  readonly key: (item: Item) => string;
  /** The requests that a change of a thing causes: those of the objects that it is made for. */
  readonly requests: (item: Item) => readonly R[];
  readonly name?: string | undefined;
}

/**
 * Reads an external system periodically, and keeps what it has read, as an informer does with objects. Requests are
 * enqueued for things that appear, change or disappear; the first poll enqueues those of all things. When a poll fails, or
 * takes longer than `stuckAfter`, what was read before is kept, and the next ones follow after 1 s, doubling up to five
 * minutes or `every`, whichever is longer.
 */
export function pollSource<Item, R>(options: PollOptions<Item, R>): PollSource<Item, R> {
  return new PollSource(options);
}

/** Milliseconds of the first and the longest delay after failures. */
const firstDelay = 1000;
const maxDelay = 300_000;

/** Initial things have the priority of initial objects. */
const lowPriority = -100;

/**
 * A source that polls; see `pollSource`. Its reads throw until a poll has succeeded: nothing is known before. It belongs to
 * one controller; others may read it.
 */
export class PollSource<Item, R> implements Source<R> {
  readonly name: string;
  readonly #options: PollOptions<Item, R>;
  readonly #every: number;
  #items: Map<string, Item> | undefined;
  /** What this process wrote while a poll runs, whose result may be older; undefined for what it deleted. */
  readonly #written = new Map<string, Item | undefined>();
  #failures = 0;
  #lastError: unknown;
  #isRunning = false;

  constructor(options: PollOptions<Item, R>) {
    const { every, name = "poll" } = options;
    this.name = name;
    this.#options = options;
    this.#every = readDuration(`every of source "${name}"`, every);
    if (this.#every <= 0)
      throw new TerminalError(`every of source "${name}" is ${JSON.stringify(every)}: it must be positive`);
  }

  /** The thing with a key; undefined if there is none. */
  get(key: string): Item | undefined {
    return this.#read().get(key);
  }

  /** All things. */
  list(): readonly Item[] {
    return [...this.#read().values()];
  }

  /** Adds what this process has written, so that reads return it before the next poll. */
  wrote(item: Item): void {
    const key = this.#options.key(item);
    this.#items?.set(key, item);
    this.#written.set(key, item);
  }

  /** Records that this process has deleted a thing. */
  wroteDeletion(key: string): void {
    this.#items?.delete(key);
    this.#written.set(key, undefined);
  }

  async start(enqueue: Enqueue<R>, context: SourceContext): Promise<void> {
    const { signal, patience, clock } = context;
    // Each change is found once, so a second controller would miss it.
    if (this.#isRunning)
      throw new TerminalError(`the source "${this.name}" has two controllers: make one for each`);
    this.#isRunning = true;
    this.#items = undefined;
    let cancel = () => {};
    onAbort(signal, () => {
      this.#isRunning = false;
      cancel();
    });
    const round = async () => {
      await this.#poll(enqueue, context);
      if (!signal.aborted) cancel = clock.setTimer(() => void round(), this.#delay());
    };
    // A system that doesn't answer is no reason to end the manager: the controller starts without the first poll.
    await Promise.race([round(), aborted(patience)]);
  }

  #delay(): number {
    if (this.#failures === 0) return this.#every;
    return Math.min(firstDelay * 2 ** (this.#failures - 1), Math.max(maxDelay, this.#every));
  }

  #read(): Map<string, Item> {
    if (this.#items) return this.#items;
    throw new Error(`the source "${this.name}" has read nothing yet`, { cause: this.#lastError });
  }

  async #poll(enqueue: Enqueue<R>, { signal, clock, stuckAfter, report }: SourceContext): Promise<void> {
    const { list, key, requests } = this.#options;
    const fail = (what: string, error: unknown) =>
      report(new CallbackError("source", `${what} of source "${this.name}"`, error));
    this.#written.clear();
    try {
      const items = await listWithin(clock, stuckAfter, signal, list);
      if (signal.aborted) return;
      const next = new Map(items.map((item) => [key(item), item]));
      for (const [written, item] of this.#written)
        if (item === undefined) next.delete(written);
        else next.set(written, item);
      const changed = changesOf(this.#items, next);
      const options = this.#items ? {} : { priority: lowPriority };
      this.#items = next;
      this.#failures = 0;
      try {
        eachDespiteErrors(changed, (item) => {
          eachDespiteErrors(requests(item), (request) => enqueue(request, options));
        });
      } catch (error) {
        fail("the requests", error);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#failures++;
      this.#lastError = error;
      fail("the list", error);
    }
  }
}

/** Lists, or rejects after a time, also if the function ignores its signal: a system that doesn't answer is down. */
function listWithin<Item>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  list: PollOptions<Item, unknown>["list"],
): Promise<readonly Item[]> {
  const run = (timed: AbortSignal): Promise<readonly Item[]> =>
    new Promise((resolve, reject) => {
      onAbort(timed, () => reject(timed.reason as Error));
      // A function that throws at once rejects, too.
      void Promise.resolve(timed).then(list).then(resolve, reject);
    });
  return withTimeout(clock, milliseconds, signal, run, () => new Error(stillRuns(milliseconds)));
}

/** Returns the things that appeared, changed or disappeared; of a change, both states, whose requests may differ. */
function changesOf<Item>(
  before: ReadonlyMap<string, Item> = new Map<string, Item>(),
  after: ReadonlyMap<string, Item>,
): Item[] {
  const changed: Item[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const states = [before.get(key), after.get(key)];
    if (!isDeepStrictEqual(...(states as [unknown, unknown])))
      changed.push(...states.filter((state) => state !== undefined));
  }
  return changed;
}
