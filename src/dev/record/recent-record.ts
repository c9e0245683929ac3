import { setTimeout } from "node:timers/promises";
import type { ClusterWrite } from "@tsbuilder/cluster";
import { Findings } from "./findings/findings.ts";
import { type PageRecord, type RecordReading, keptBytes } from "./page-record.ts";
import { placeName } from "./recorded.ts";
import { type LineKeeper, type RecordLine, bytesOf, lengthOf, lineOfWrite } from "./record-line.ts";

/**
 * The last lines of a session, in memory. Older lines are dropped, except for the last state of each object, which readers get
 * as an object that existed before. So memory is limited to the given bytes and one state of each object.
 */
export class RecentRecord implements LineKeeper, PageRecord {
  /** Has seen the whole session, dropped lines too. */
  readonly findings = new Findings();
  readonly #maxBytes: number;
  readonly #readers = new Set<LineReader>();
  /** The last states of objects in dropped lines. */
  readonly #kept = new Map<string, RecordLine>();
  #first: RecordLine | undefined;
  #lines: RecordLine[] = [];
  /** Lines before this index are dropped. */
  #start = 0;
  #bytes = 0;
  /** The bytes of dropped lines that the array still contains. */
  #dropped = 0;
  #since = "";

  constructor(maxBytes: number = keptBytes) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of the lines, without the states of dropped ones. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The earliest moment at which all objects are known. */
  get since(): string {
    return this.#since;
  }

  /** Sets the line of the session, which readers get first. */
  open(first: RecordLine): void {
    this.#first = first;
    this.#since = first.at;
  }

  add(line: RecordLine): void {
    this.#lines.push(line);
    this.#bytes += sizeOf(line);
    if (line.write?.type === "KEPT") this.#since = line.at;
    while (this.#bytes > this.#maxBytes && this.#start < this.#lines.length) this.#drop();
    for (const reader of this.#readers) reader.push(line);
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
    this.#readers.clear();
  }

  read(onLost: () => void): RecordReading {
    const reader = new LineReader(this.#maxBytes, () => {
      this.#readers.delete(reader);
      onLost();
    });
    this.#readers.add(reader);
    const kept = [...this.#kept.values()].map(({ at, write }) => ({ at, ...write!, type: "KEPT" as const }));
    const lines = this.#lines.slice(this.#start);
    return {
      past: pieces(this.#first, kept, lines),
      live: reader.batches(),
      findings: () => this.findings.list(Date.now()),
      close: () => {
        this.#readers.delete(reader);
        reader.end();
      },
    };
  }

  /** Returns all lines so far. */
  text(): string {
    const { past, close } = this.read(() => undefined);
    close();
    return Buffer.concat([...(past as Iterable<Buffer>)]).toString();
  }

  /** Returns the last write of each object up to a moment, without Leases; undefined for a moment that was dropped. */
  statesAt(moment: Date): readonly ClusterWrite[] | undefined {
    const at = moment.toISOString();
    if (at < this.#since) return undefined;
    const states = new Map(this.#kept);
    for (const line of this.#lines.slice(this.#start)) {
      if (line.at > at) break;
      applyWrite(states, line);
    }
    return [...states.values()].map(({ write }) => write!);
  }

  #drop(): void {
    const line = this.#lines[this.#start++]!;
    this.#bytes -= sizeOf(line);
    applyWrite(this.#kept, line);
    if (line.write) this.#since = line.at;
    this.#dropped += sizeOf(line);
    if (this.#dropped < this.#maxBytes / 4) return;
    this.#lines = this.#lines.slice(this.#start);
    [this.#start, this.#dropped] = [0, 0];
  }
}

/** The time in milliseconds for which lines are collected before they are sent. */
const batchMilliseconds = 50;

/** The queue of lines for one reader. A reader that falls too far behind is cut off. */
class LineReader {
  readonly #maxBytes: number;
  readonly #onLost: () => void;
  #waiting: RecordLine[] = [];
  #bytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(maxBytes: number, onLost: () => void) {
    this.#maxBytes = maxBytes;
    this.#onLost = onLost;
  }

  push(line: RecordLine): void {
    if (this.#isOver) return;
    this.#waiting.push(line);
    this.#bytes += lengthOf(line);
    if (this.#bytes <= this.#maxBytes) return this.#wake?.();
    this.end();
    this.#take();
    return this.#onLost();
  }

  /** Ends the queue; lines that wait are still read. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** Yields batches of lines until the end. */
  async *batches(): AsyncGenerator<Buffer> {
    while (this.#waiting.length > 0 || !this.#isOver) {
      if (this.#waiting.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
      if (!this.#isOver) await setTimeout(batchMilliseconds);
      const lines = this.#take();
      if (lines.length > 0) yield bytesOf(lines);
    }
  }

  #take(): RecordLine[] {
    const lines = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    return lines;
  }
}

/** The memory that a line takes besides its bytes, roughly. */
const overhead = 200;

/** Returns the memory of a line. The line of a Secret also keeps the bytes of its write, which are different. */
function sizeOf(line: RecordLine): number {
  const raw = line.write?.resource === "secrets" ? line.write.bytes.length : 0;
  return overhead + lengthOf(line) + raw;
}

/** Updates the last states of objects by a line, if it is a write. */
function applyWrite(states: Map<string, RecordLine>, line: RecordLine): void {
  const { write } = line;
  if (!write) return;
  const place = placeName(write);
  if (write.type === "DELETED") states.delete(place);
  else states.set(place, line);
}

/** The size of the pieces that a reader gets, roughly. */
const pieceBytes = 256 * 1024;

/** Yields lines in pieces: the first line, those of objects that existed before, and all others. */
function* pieces(
  first: RecordLine | undefined,
  kept: readonly (ClusterWrite & { readonly at: string })[],
  lines: readonly RecordLine[],
): Generator<Buffer> {
  let piece: RecordLine[] = [];
  let bytes = 0;
  const allLines = function* (): Generator<RecordLine> {
    if (first) yield first;
    for (const { at, ...write } of kept) yield lineOfWrite(at, write);
    yield* lines;
  };
  for (const line of allLines()) {
    piece.push(line);
    bytes += lengthOf(line);
    if (bytes < pieceBytes) continue;
    yield bytesOf(piece);
    [piece, bytes] = [[], 0];
  }
  if (piece.length > 0) yield bytesOf(piece);
}
