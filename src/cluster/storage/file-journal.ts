import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ApiObject } from "../contract/api-object.ts";
import type { Journal, Snapshot, Store } from "./store.ts";

/** One line of the log: a write, or a deletion if it has no object. */
interface Line {
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly o?: ApiObject;
}

/** Writes bytes from an offset on, or as many as there is room for, and returns how many. */
type Write = (file: number, bytes: Buffer, offset: number) => number;

export interface FileJournalOptions {
  /** The size of the log in bytes at which it is replaced with a snapshot. */
  readonly limit?: number;
  /** Writes to the disk; tests simulate a full one. */
  readonly write?: Write;
}

const compactAfter = 16 * 1024 * 1024;

/**
 * A log of all writes since a snapshot, in a folder. A write is in the file before it is visible, so an acknowledged one
 * survives a crash of the process. The revision never goes back.
 */
export class FileJournal implements Journal {
  readonly #folder: string;
  readonly #compactAfter: number;
  readonly #writeSome: Write;
  #store: Store | undefined;
  #file: number;
  #size = 0;
  #compactAt: number;

  constructor(folder: string, { limit = compactAfter, write = writeSync }: FileJournalOptions = {}) {
    this.#folder = folder;
    this.#compactAfter = limit;
    this.#compactAt = limit;
    this.#writeSome = write;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = openSync(this.#path("log"), "a", 0o600);
  }

  append(collection: string, key: string, revision: number, object: ApiObject | undefined): void {
    const line: Line = { c: collection, k: key, r: revision, ...(object && { o: object }) };
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#write(bytes);
    this.#size += bytes.length;
    if (this.#size > this.#compactAt) setImmediate(() => this.#compact());
  }

  /** Writes a whole line or nothing: a nearly full disk accepts the first part, and fails at the next write. */
  #write(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#writeSome(this.#file, bytes, written);
    } catch (error) {
      ftruncateSync(this.#file, fstatSync(this.#file).size - written);
      throw error;
    }
  }

  /** Loads the folder into a new store. An incomplete last line was never acknowledged. */
  restore(store: Store): void {
    this.#store = store;
    const state = new Map<string, Line>();
    let revision = 0;
    for (const name of ["snapshot", "log"]) {
      for (const line of this.#read(name)) {
        revision = Math.max(revision, line.r);
        const id = `${line.c}\n${line.k}`;
        if (line.o) state.set(id, line);
        else state.delete(id);
      }
    }
    const records = [...state.values()].sort((a, b) => a.r - b.r);
    store.load(
      revision,
      records.map(({ c, k, r, o }) => ({ collection: c, key: k, revision: r, object: o! })),
    );
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(name: string): Line[] {
    const path = this.#path(name);
    if (!existsSync(path)) return [];
    const text = readFileSync(path, "utf8");
    const end = text.lastIndexOf("\n") + 1;
    // Nothing may be appended to an incomplete line.
    if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
    return text
      .slice(0, end)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  }

  /** If there is no room for a snapshot, the log is kept, and the next attempt follows when it has grown. */
  #compact(): void {
    if (!this.#store || this.#size <= this.#compactAt) return;
    const path = this.#path("snapshot.new");
    try {
      this.#writeSnapshot(path, this.#store.snapshot());
    } catch {
      rmSync(path, { force: true, recursive: true });
      this.#compactAt = this.#size + this.#compactAfter;
      return;
    }
    this.#compactAt = this.#compactAfter;
  }

  /** Writes the current state to a new file, then renames it: a crash leaves either the old or the new file complete. */
  #writeSnapshot(path: string, { revision, collections }: Snapshot): void {
    const file = openSync(path, "w", 0o600);
    try {
      writeFileSync(file, `${JSON.stringify({ c: "", k: "", r: revision } satisfies Line)}\n`);
      for (const [c, entries] of collections) {
        for (const { key, revision: r, object } of entries.values()) {
          writeFileSync(file, `${JSON.stringify({ c, k: key, r, o: object } satisfies Line)}\n`);
        }
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(path, this.#path("snapshot"));
    ftruncateSync(this.#file);
    this.#size = 0;
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.jsonl`);
  }
}
