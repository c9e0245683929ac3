import { setTimeout } from "node:timers/promises";
import { bytesOf, lengthOf, type RecordLine } from "./record-line.ts";

/** Lines are told together, after so many milliseconds. */
const pause = 50;

/** The lines that wait for one reader. One who falls too far behind gets no more. */
export class LineReader {
  readonly #most: number;
  readonly #onLost: () => void;
  #waiting: RecordLine[] = [];
  #bytes = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(most: number, onLost: () => void) {
    this.#most = most;
    this.#onLost = onLost;
  }

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  push(line: RecordLine): void {
    if (this.#isOver) return;
    this.#waiting.push(line);
    this.#bytes += lengthOf(line);
    if (this.#bytes <= this.#most) return this.#wake?.();
    this.end();
    this.#take();
    return this.#onLost();
  }

  /** What waits is told still, and then nothing more. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** Batches of lines, until the end. */
  async *batches(): AsyncGenerator<Buffer> {
    while (this.#waiting.length > 0 || !this.#isOver) {
      if (this.#waiting.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
      if (!this.#isOver) await setTimeout(pause);
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
