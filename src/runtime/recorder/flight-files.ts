// A folder that outlives the container, such as an emptyDir: the record is in files there, so that the next process can show what
// this one did, also after SIGKILL. A write goes to the kernel's memory, which a killed process doesn't lose, and takes some
// microseconds; an asynchronous one would take ten times as long.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Segment } from "./flight-memory.ts";

/** The name of a file begins with the time at which its process began. */
const filePattern = /^(\d{13,})-(\d{7})\.flight$/u;

/** The number of the first file with changes of objects; those before are segments. */
const firstObjectFile = 5_000_000;

/** How many files of either kind there are at most: a process that crashes again and again writes small ones. */
const maxFiles = 50;

/** Only the operator reads them. */
const privateMode = 0o600;

/** The files of the records of this process, and of those before it. */
export class FlightFiles {
  readonly #folder: string;
  readonly #since: number;
  readonly #maxBytes: number;
  /** The open files, by number: a segment, and one with changes of objects. */
  readonly #open = new Map<number, number>();
  #objectFile = firstObjectFile;
  #objectBytes = 0;

  /** Creates the folder. */
  constructor(folder: string, since: number, maxBytes: number) {
    this.#folder = folder;
    this.#since = since;
    this.#maxBytes = maxBytes;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#trim();
  }

  /** Reads the files of the processes before, and the segments of this one before a number, the oldest first. */
  *before(number: number): Generator<Buffer> {
    for (const { since, number: found, path } of this.#list()) {
      const isBefore = since !== this.#since || found < number;
      // A file may have been removed meanwhile.
      if (isBefore && existsSync(path)) yield readFileSync(path);
    }
  }

  /** Saves what is new in segments. */
  saveSegments(segments: readonly Segment[]): void {
    for (const segment of segments) {
      const { content, number } = segment;
      if (segment.saved < content.length) this.#write(number, content.subarray(segment.saved), segment.saved);
      segment.saved = content.length;
      if (segment !== segments.at(-1)) this.#close(number);
    }
  }

  /** Saves changes of objects. `header` begins a file. */
  saveObjects(header: () => Uint8Array, changes: Iterable<Uint8Array>): void {
    const entries = [...changes];
    if (entries.length === 0) return;
    if (this.#objectBytes > this.#maxBytes / 8) {
      this.#close(this.#objectFile);
      this.#objectFile++;
      this.#objectBytes = 0;
    }
    const bytes = Buffer.concat(this.#objectBytes === 0 ? [header(), ...entries] : entries);
    this.#write(this.#objectFile, bytes, this.#objectBytes);
    this.#objectBytes += bytes.length;
  }

  /** Closes the files, which later saves open again. */
  close(): void {
    for (const number of this.#open.keys()) this.#close(number);
  }

  #write(number: number, bytes: Uint8Array, position: number): void {
    let file = this.#open.get(number);
    if (file === undefined) {
      this.#trim();
      const path = join(this.#folder, `${this.#since}-${String(number).padStart(7, "0")}.flight`);
      file = openSync(path, existsSync(path) ? "r+" : "w", privateMode);
      this.#open.set(number, file);
    }
    writeSync(file, bytes, 0, bytes.length, position);
  }

  #close(number: number): void {
    const file = this.#open.get(number);
    this.#open.delete(number);
    if (file !== undefined) closeSync(file);
  }

  /** Removes the oldest files, of segments and of objects, beyond the half of the bytes and the number that are kept. */
  #trim(): void {
    const files = this.#list();
    const isSegment = ({ number }: { readonly number: number }): boolean => number < firstObjectFile;
    for (const some of [files.filter(isSegment), files.filter((file) => !isSegment(file))]) {
      let bytes = some.reduce((sum, { size }) => sum + size, 0);
      let left = some.length;
      for (const { path, size } of some) {
        if (bytes <= this.#maxBytes / 2 && left < maxFiles) break;
        rmSync(path, { force: true });
        bytes -= size;
        left--;
      }
    }
  }

  #list(): {
    readonly path: string;
    readonly since: number;
    readonly number: number;
    readonly size: number;
  }[] {
    return readdirSync(this.#folder)
      .toSorted()
      .flatMap((name) => {
        const [, since, number] = filePattern.exec(name) ?? [];
        const path = join(this.#folder, name);
        const stat = number === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
        return stat ? [{ path, since: Number(since), number: Number(number), size: stat.size }] : [];
      });
  }
}
