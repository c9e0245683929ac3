import type { ServerResponse } from "node:http";
import type { Clock } from "@tsbuilder/apimachinery/time";

const bookmarkInterval = 60_000;
/** The last bookmark comes this long before the watch times out, so that its client resumes from what was last written. */
const lastBookmark = 2000;
/** A client is disconnected if its unsent data exceeds this; it can list and watch again. */
export const backlogLimit = 16 * 1024 * 1024;
/** Initial objects are sent while the unsent data is less than this. */
const initialBacklog = 1024 * 1024;
const shortestDefaultTimeout = 30 * 60;

/** What a stream sends at once: its lines, as a chunk of HTTP where the response has chunks. */
interface Batch {
  readonly lines: readonly Buffer[];
  readonly isChunk: boolean;
  readonly bytes: Buffer;
}

/** The streams that got lines in this turn of the event loop. */
const written: WatchStream[] = [];

/** Watchers of the same objects send the same lines: their bytes are put together once. */
function flushWritten(): void {
  let last: Batch | undefined;
  for (const stream of written.splice(0)) last = stream.flush(last);
}

function batchOf(lines: readonly Buffer[], isChunk: boolean, last: Batch | undefined): Batch {
  const isLast = last?.isChunk === isChunk && last.lines.length === lines.length;
  if (isLast && lines.every((line, index) => line === last.lines[index])) return last;
  if (!isChunk) return { lines, isChunk, bytes: Buffer.concat(lines) };
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  return { lines, isChunk, bytes: Buffer.concat([head, ...lines, chunkEnd]) };
}

const chunkEnd = Buffer.from("\r\n");
const lastChunk = Buffer.from("0\r\n\r\n");

/** The connection of one watcher. All data of one turn of the event loop is sent at once. */
export class WatchStream {
  readonly #response: ServerResponse;
  readonly #isChunked: boolean;
  readonly #clock: Clock;
  /** When the watch times out. */
  readonly #deadline: number;
  readonly #ends: Array<() => void> = [];
  #pending: Buffer[] = [];
  #ended = false;
  #isStarting = true;
  #isTimedOut = false;

  constructor(
    response: ServerResponse,
    signal: AbortSignal,
    clock: Clock,
    { timeoutSeconds }: { timeoutSeconds: number | undefined },
  ) {
    this.#response = response;
    this.#clock = clock;
    response.flushHeaders();
    // Node would frame what each watcher gets anew.
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
    const timeout = 1000 * (timeoutSeconds || shortestDefaultTimeout * (1 + Math.random()));
    this.#deadline = clock.now() + timeout;
    this.onEnd(clock.setTimer(() => this.#timeOut(), timeout));
    // The client may be gone before its watch begins.
    if (signal.aborted) this.end();
    else signal.addEventListener("abort", () => this.end());
  }

  /** The initial objects and missed changes are sent: from now on the watch may time out. */
  started(): void {
    this.#isStarting = false;
    if (this.#isTimedOut) this.end();
  }

  write(line: Buffer): void {
    if (this.#ended) return;
    if (this.#pending.push(line) > 1) return;
    if (written.push(this) === 1) setImmediate(flushWritten);
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
      const left = this.#deadline - lastBookmark - this.#clock.now();
      if (left <= 0) return;
      cancel = this.#clock.setTimer(send, Math.min(bookmarkInterval, left));
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
      this.onEnd(resolve);
    });
    this.#isStarting = true;
  }

  /** Ends the connection of a client that does not read. */
  disconnect(): void {
    this.end();
    this.#response.destroy();
  }

  #timeOut(): void {
    this.#isTimedOut = true;
    if (!this.#isStarting) this.end();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const run of this.#ends) run();
    this.#send(undefined);
    this.#response.end(this.#isChunked ? lastChunk : undefined);
  }

  /** Sends the lines of this turn, which may be those that another stream sent last; returns what was sent. */
  flush(last: Batch | undefined): Batch | undefined {
    const sent = this.#send(last);
    if (this.#response.writableLength > backlogLimit) this.disconnect();
    return sent;
  }

  #send(last: Batch | undefined): Batch | undefined {
    if (this.#pending.length === 0) return last;
    const batch = batchOf(this.#pending, this.#isChunked, last);
    this.#pending = [];
    this.#response.write(batch.bytes);
    return batch;
  }
}
