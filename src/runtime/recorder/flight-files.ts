// A folder that outlives the container, such as an emptyDir: the segments of the record are files there, so that the next
// process can show what this one did, also after SIGKILL. A write goes to the kernel's memory, which a killed process doesn't lose.

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
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { Segment } from "./flight-memory.ts";

/** The files of one record begin with the time at which its process began. */
const filePattern = /^(\d{13,})-(\d{7})\.flight$/u;

/** The number of the first file with changes of objects; those before are segments. */
const firstObjectFile = 5_000_000;

/** How many files there are at most: a process that crashes again and again writes small ones. */
const maxFiles = 50;

/** Only the operator reads them. */
const privateMode = 0o600;

/** The files of the records of this process, and of those before it. */
export class FlightFiles {
  readonly #folder: string;
  readonly #since: number;
  readonly #maxBytes: number;
  readonly #open = new Map<number, FileHandle>();
  #isSaving = false;
  #objectFiles = 0;
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
    for (const { since, name, path } of this.#list()) {
      const isBefore = since !== this.#since || Number(name) < number;
      // A file may have been removed meanwhile.
      if (isBefore && existsSync(path)) yield readFileSync(path);
    }
  }

  /** Closes the files. Later calls of `saveNow` and `saveObjects` open them again. */
  async close(): Promise<void> {
    const files = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(files.map((file) => file.close()));
  }

  /** Saves what is new. Returns at once if an earlier call has not ended. */
  async save(segments: readonly Segment[]): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    try {
      for (const segment of segments) await this.#save(segment, segment === segments.at(-1));
    } finally {
      this.#isSaving = false;
    }
  }

  async #save(segment: Segment, isLast: boolean): Promise<void> {
    const { length } = segment.content;
    if (segment.saved < length) {
      segment.isInUse = true;
      try {
        const file = await this.#file(segment.number);
        await file.write(segment.bytes, segment.saved, length - segment.saved, segment.saved);
        segment.saved = length;
      } finally {
        segment.isInUse = false;
      }
    }
    const file = this.#open.get(segment.number);
    if (isLast || !file) return;
    this.#open.delete(segment.number);
    await file.close();
  }

  async #file(number: number): Promise<FileHandle> {
    const opened = this.#open.get(number);
    if (opened) return opened;
    this.#trim();
    const file = await open(this.#path(number), "w", privateMode);
    this.#open.set(number, file);
    return file;
  }

  /** Saves what is new before it returns: the process may end at any moment. */
  saveNow(segments: readonly Segment[]): void {
    for (const { content, saved, number } of segments) {
      if (saved >= content.length) continue;
      // An asynchronous write of the same bytes may still run, and writes them to the same place.
      this.#writeNow(this.#path(number), content.subarray(saved), saved);
    }
  }

  /** Adds changes of objects, which have files of their own, to the last of them. `header` begins a file. */
  saveObjects(header: () => Uint8Array, changes: Iterable<Uint8Array>): void {
    const entries = [...changes];
    if (entries.length === 0) return;
    if (this.#objectBytes > this.#maxBytes / 8) {
      this.#objectFiles++;
      this.#objectBytes = 0;
      this.#trim();
    }
    const bytes = Buffer.concat(this.#objectBytes === 0 ? [header(), ...entries] : entries);
    this.#writeNow(this.#path(firstObjectFile + this.#objectFiles), bytes, this.#objectBytes);
    this.#objectBytes += bytes.length;
  }

  #writeNow(path: string, bytes: Uint8Array, position: number): void {
    const file = openSync(path, existsSync(path) ? "r+" : "w", privateMode);
    try {
      writeSync(file, bytes, 0, bytes.length, position);
    } finally {
      closeSync(file);
    }
  }

  #path(number: number): string {
    return join(this.#folder, `${this.#since}-${String(number).padStart(7, "0")}.flight`);
  }

  /** Removes the oldest files, of segments and of objects, beyond the half of the bytes and the number that are kept. */
  #trim(): void {
    const [segments, objects] = [false, true].map((isObjects) =>
      this.#list().filter(({ name }) => Number(name) >= firstObjectFile === isObjects),
    );
    for (const files of [segments!, objects!]) {
      let bytes = files.reduce((sum, { size }) => sum + size, 0);
      let left = files.length;
      for (const { path, size } of files) {
        if (bytes <= this.#maxBytes / 2 && left < maxFiles) break;
        rmSync(path, { force: true });
        bytes -= size;
        left--;
      }
    }
  }

  #list(): { readonly path: string; readonly since: number; readonly name: string; readonly size: number }[] {
    return readdirSync(this.#folder)
      .toSorted()
      .flatMap((file) => {
        const [, since = "", name = ""] = filePattern.exec(file) ?? [];
        const path = join(this.#folder, file);
        const stat = name === "" ? undefined : statSync(path, { throwIfNoEntry: false });
        return stat ? [{ path, since: Number(since), name, size: stat.size }] : [];
      });
  }
}
