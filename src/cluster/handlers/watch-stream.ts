import type { Writable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { type Batch, batchOf, type WatchTurn } from "../http/watch-turn.ts";

const bookmarkInterval = 60_000;
/** The last bookmark is sent so many milliseconds before the timeout: the client then resumes from a recent revision. */
const lastBookmarkLead = 2000;
/** A client is disconnected if its unsent data exceeds this; it can list and watch again. */
export const backlogLimit = 16 * 1024 * 1024;
/** Initial objects are sent while the unsent data is less than this. */
const initialBacklog = 1024 * 1024;
/** Initial objects are sent in blocks of about this size, which take less than a millisecond to encrypt. */
const initialBlock = 128 * 1024;
/** Without a timeout in the request, a watch ends after this many seconds to twice as many, as on the real server. */
const shortestDefaultTimeout = 30 * 60;
const lastChunk = Buffer.from("0\r\n\r\n");

/** The surroundings of a stream. */
interface StreamOptions {
  readonly clock: Clock;
  readonly turn: WatchTurn;
  readonly timeoutSeconds: number | undefined;
  /** True if the lines are to be framed as chunks, which watchers share; Node would frame them again for each. */
  readonly isChunked: boolean;
  /** Receives errors of sending. */
  readonly report: (error: unknown) => void;
}

/** Sends the same lines to many streams. A stream flushes its group before its own lines, so that these don't overtake. */
interface Group {
  flush(): void;
}

/**
 * The connection of one watcher. Collects its lines for some turns of the event loop and sends them with one write.
 * Initial lines are sent within the slice of time that encodes them, so that no turn sends those of many watchers.
 */
export class WatchStream {
  readonly size = 1;
  readonly #response: Writable;
  readonly #isChunked: boolean;
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #turn: WatchTurn;
  readonly #report: (error: unknown) => void;
  readonly #ends: Array<() => void> = [];
  #group: Group | undefined;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #ended = false;
  #isStarting = true;
  #isTimedOut = false;

  constructor(response: Writable, signal: AbortSignal, options: StreamOptions) {
    const { clock, turn, timeoutSeconds, isChunked, report } = options;
    this.#response = response;
    this.#turn = turn;
    this.#clock = clock;
    this.#report = report;
    this.#isChunked = isChunked;
    const timeout = 1000 * (timeoutSeconds || shortestDefaultTimeout * (1 + Math.random()));
    this.#deadline = clock.now() + timeout;
    this.onEnd(clock.setTimer(() => this.#timeOut(), timeout, "upkeep"));
    // The client may be gone before its watch begins.
    if (signal.aborted) this.end();
    else signal.addEventListener("abort", () => this.end());
  }

  /** Called when the initial objects and missed changes are sent: from now on the watch may time out. */
  started(): void {
    this.#isStarting = false;
    this.flush(undefined);
    if (this.#isTimedOut) this.end();
  }

  /** Adds the stream to a group, whose lines it also sends. */
  follow(group: Group): void {
    this.#group = group;
  }

  /** Adds a line, which is sent at the end of the turn, or with the block of initial objects. */
  write(line: Buffer): void {
    this.#group?.flush();
    if (this.#ended) return;
    this.#pendingBytes += line.length;
    if (this.#pending.push(line) === 1 && !this.#isStarting) this.#turn.add(this);
    if (this.#isStarting && this.#pendingBytes >= initialBlock) this.flush(undefined);
  }

  /** Registers a callback that runs once when the stream ends, whichever side ends it. */
  onEnd(run: () => void): void {
    if (this.#ended) run();
    else this.#ends.push(run);
  }

  /** Sends a bookmark about every minute and shortly before the watch times out, unless there is none to send. */
  bookmarks(make: () => Buffer | undefined): void {
    let cancel = (): void => undefined;
    const wait = (): void => {
      const left = this.#deadline - lastBookmarkLead - this.#clock.now();
      if (left <= 0 || this.#ended) return;
      cancel = this.#clock.setTimer(send, Math.min(bookmarkInterval, left), "upkeep");
    };
    const send = (): void => {
      const bookmark = make();
      if (bookmark) this.write(bookmark);
      wait();
    };
    wait();
    this.onEnd(() => cancel());
  }

  /** Resolves when there is room for more initial objects, or the stream has ended. */
  async room(): Promise<void> {
    if (this.#ended || this.#response.writableLength < initialBacklog) return;
    this.started();
    await new Promise<void>((resolve) => {
      this.#response.once("drain", resolve);
      this.onEnd(() => resolve());
    });
    this.#isStarting = true;
  }

  /** Ends the watch after the collected lines. */
  end(): void {
    if (!this.#finish()) return;
    try {
      this.#sendPending(undefined);
      this.#response.end(this.#isChunked ? lastChunk : undefined);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends the connection of a client that does not read. */
  disconnect(): void {
    this.end();
    this.#response.destroy();
  }

  /** Sends the collected lines; called by `WatchTurn`. */
  flush(last: Batch | undefined): Batch | undefined {
    return this.#attempt(last, () => this.#sendPending(last));
  }

  /** Sends lines of the group, after the stream's own earlier lines. */
  pass(lines: readonly Buffer[], last: Batch | undefined): Batch | undefined {
    return this.#attempt(last, () => {
      this.#sendPending(undefined);
      return this.#send(lines, last);
    });
  }

  #timeOut(): void {
    this.#isTimedOut = true;
    if (!this.#isStarting) this.end();
  }

  /** Runs a send. An error ends this watcher only, and does not reach the sender of the others. */
  #attempt(last: Batch | undefined, send: () => Batch | undefined): Batch | undefined {
    if (this.#response.destroyed) return last;
    try {
      const sent = send();
      if (this.#response.writableLength > backlogLimit) this.disconnect();
      return sent;
    } catch (error) {
      this.#fail(error);
      return last;
    }
  }

  #sendPending(last: Batch | undefined): Batch | undefined {
    if (this.#pending.length === 0) return last;
    const lines = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return this.#send(lines, last);
  }

  #send(lines: readonly Buffer[], last: Batch | undefined): Batch {
    const batch = batchOf(lines, this.#isChunked, last);
    this.#response.write(batch.bytes);
    return batch;
  }

  /** Ends the connection after an error of sending: later lines would leave a gap. */
  #fail(error: unknown): void {
    this.#response.destroy();
    this.#finish();
    // Reports later: `report` may throw or write, and the lines of other watchers are not sent yet.
    queueMicrotask(() => this.#report(error));
  }

  #finish(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    for (const run of this.#ends) run();
    return true;
  }
}
