import { setImmediate } from "node:timers";

/** The lines that a stream sends with one write: framed as one chunk if the response is chunked. */
export interface Batch {
  readonly lines: readonly Buffer[];
  readonly isChunk: boolean;
  readonly bytes: Buffer;
}

/** A stream, or a group of streams that send the same lines. */
interface Sender {
  /** The number of streams: 1, or the members of a group. */
  readonly size: number;
  /** Sends the lines, reusing `last` if it has the same ones; returns the batch that was sent. */
  flush(last: Batch | undefined): Batch | undefined;
}

/**
 * Sending several lines to a stream takes hardly longer than sending one, so lines are collected: for one more turn of the
 * event loop per two streams, up to six. Without requests, turns pass at once.
 */
const streamsPerTurn = 2;
const maximumTurns = 6;
/** The longest time that a line waits, in milliseconds, if turns of the event loop are long. */
const longestWait = 20;

/**
 * Collects the streams of a cluster that have lines to send, and flushes them after some turns of the event loop.
 * Streams of watchers of the same objects send the same batch. Each cluster has its own: the event loop of a simulation
 * may end before its turn does.
 */
export class WatchTurn {
  #senders: Sender[] = [];
  readonly #now: () => number;
  /** The turns to wait before the next flush, by the number of streams of the last one. */
  #turns = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Flushes the sender at the end of the current turns. A sender is added once, when it gets its first line. */
  add(sender: Sender): void {
    if (this.#senders.push(sender) > 1) return;
    if (this.#turns === 0) setImmediate(() => this.#flush());
    else this.#flushAfter(this.#turns, this.#now() + longestWait);
  }

  #flushAfter(turns: number, deadline: number): void {
    const isDue = turns === 0 || this.#now() >= deadline;
    setImmediate(() => (isDue ? this.#flush() : this.#flushAfter(turns - 1, deadline)));
  }

  #flush(): void {
    const senders = this.#senders;
    this.#senders = [];
    let streams = 0;
    let last: Batch | undefined;
    for (const sender of senders) {
      streams += sender.size;
      last = sender.flush(last);
    }
    this.#turns = Math.min(Math.floor(streams / streamsPerTurn), maximumTurns);
  }
}

const chunkEnd = Buffer.from("\r\n");

/** Makes a batch of lines; reuses the last batch if it has the same lines, so that their bytes are joined once. */
export function batchOf(lines: readonly Buffer[], isChunk: boolean, last: Batch | undefined): Batch {
  if (last?.isChunk === isChunk && areEqual(lines, last.lines)) return last;
  if (!isChunk) return { lines, isChunk, bytes: Buffer.concat(lines) };
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  return { lines, isChunk, bytes: Buffer.concat([head, ...lines, chunkEnd]) };
}

function areEqual(lines: readonly Buffer[], others: readonly Buffer[]): boolean {
  if (lines === others) return true;
  return lines.length === others.length && lines.every((line, index) => line === others[index]);
}
