import { setImmediate } from "node:timers";

/** What a stream sends at once: its lines, as a chunk of HTTP where the response has chunks. */
export interface Batch {
  readonly lines: readonly Buffer[];
  readonly isChunk: boolean;
  readonly bytes: Buffer;
}

/** Returns what was sent last if it has the same lines. */
export function batchOf(lines: readonly Buffer[], isChunk: boolean, last: Batch | undefined): Batch {
  if (last?.isChunk === isChunk && areSame(lines, last.lines)) return last;
  if (!isChunk) return { lines, isChunk, bytes: Buffer.concat(lines) };
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const head = Buffer.from(`${length.toString(16)}\r\n`);
  return { lines, isChunk, bytes: Buffer.concat([head, ...lines, chunkEnd]) };
}

function areSame(lines: readonly Buffer[], others: readonly Buffer[]): boolean {
  if (lines === others) return true;
  return lines.length === others.length && lines.every((line, index) => line === others[index]);
}

const chunkEnd = Buffer.from("\r\n");

/** A stream, or a group of streams that send the same lines. */
interface Sender {
  /** How many streams it is. */
  readonly size: number;
  /** Sends its lines, which may be those that another sent last; returns what was sent. */
  flush(last: Batch | undefined): Batch | undefined;
}

/**
 * Sending several lines to a stream takes hardly longer than sending one, so lines are collected: for one more turn of the
 * event loop per two streams, up to six. Without requests, turns pass at once.
 */
const streamsPerTurn = 2;
const mostTurns = 6;
/** So long a line waits at the most, in milliseconds, however long turns are. */
const longestWait = 20;

/**
 * The streams of a cluster that got lines in the last turns of the event loop. Watchers of the same objects send the same
 * lines: their bytes are put together once. Each cluster has its own, since the event loop of a simulation may end before
 * its turn does.
 */
export class WatchTurn {
  #senders: Sender[] = [];
  readonly #now: () => number;
  /** How many turns pass before lines are sent: by how many streams they went to the last time. */
  #turns = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

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
    this.#turns = Math.min(Math.floor(streams / streamsPerTurn), mostTurns);
  }
}
