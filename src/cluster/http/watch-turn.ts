import { setImmediate } from "node:timers";

/** What a stream sends at once: its lines, as a chunk of HTTP where the response has chunks. */
export interface Batch {
  readonly lines: readonly Buffer[];
  readonly isChunk: boolean;
  readonly bytes: Buffer;
}

/** Returns what was sent last if it has the same lines. */
export function batchOf(lines: readonly Buffer[], isChunk: boolean, last: Batch | undefined): Batch {
  const isLast = last?.isChunk === isChunk && last.lines.length === lines.length;
  if (isLast && lines.every((line, index) => line === last.lines[index])) return last;
  if (!isChunk) return { lines, isChunk, bytes: Buffer.concat(lines) };
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  return { lines, isChunk, bytes: Buffer.concat([head, ...lines, chunkEnd]) };
}

const chunkEnd = Buffer.from("\r\n");

interface Stream {
  /** Sends its lines, which may be those that another stream sent last; returns what was sent. */
  flush(last: Batch | undefined): Batch | undefined;
  fail(error: unknown): void;
}

/**
 * Many watchers take longer to send to than requests take: so many of them cost another turn of the event loop, in which
 * more lines are collected. Without requests, turns pass at once.
 */
const streamsPerTurn = 16;
/** So long a line waits at the most, in milliseconds, however long turns are. */
const longestWait = 20;

/**
 * The streams of a cluster that got lines in the last turns of the event loop: one turn, if they are few. Watchers of the
 * same objects send the same lines: their bytes are put together once. Each cluster has its own, since the event loop of a
 * simulation may end before its turn does.
 */
export class WatchTurn {
  #streams: Stream[] = [];
  readonly #now: () => number;
  /** How many turns pass before streams send. */
  #turns = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(stream: Stream): void {
    if (this.#streams.push(stream) > 1) return;
    if (this.#turns === 0) setImmediate(() => this.#flush());
    else this.#flushAfter(this.#turns, this.#now() + longestWait);
  }

  #flushAfter(turns: number, deadline: number): void {
    const isDue = turns === 0 || this.#now() >= deadline;
    setImmediate(() => (isDue ? this.#flush() : this.#flushAfter(turns - 1, deadline)));
  }

  #flush(): void {
    const streams = this.#streams;
    this.#streams = [];
    this.#turns = Math.floor(streams.length / streamsPerTurn);
    let last: Batch | undefined;
    for (const stream of streams) {
      try {
        last = stream.flush(last);
      } catch (error) {
        stream.fail(error);
      }
    }
  }
}
