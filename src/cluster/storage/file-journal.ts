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

/** One line of the log: a write, or without an object a deletion. */
interface Line {
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly o?: ApiObject;
}

/** Writes bytes from an offset on, or as many of them as there is room for, and says how many. */
type Write = (file: number, bytes: Buffer, offset: number) => number;

export interface FileJournalOptions {
  /** Bytes of the log after which it is replaced by a snapshot. */
  readonly limit?: number;
  /** How bytes get to the disk; tests hand in a full one. */
  readonly write?: Write;
}

const compactAfter = 16 * 1024 * 1024;

/**
 * A log of all writes in a folder, with a snapshot in front of it. A write is in the file before anybody hears of
 * it, so that an acknowledged one survives the death of the process; the revision never goes back.
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

  /** A full disk takes the first part of a line and refuses the rest only when asked again: all of it, or none. */
  #write(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#writeSome(this.#file, bytes, written);
    } catch (error) {
      ftruncateSync(this.#file, fstatSync(this.#file).size - written);
      throw error;
    }
  }

  /** Fills a new store with what the folder holds; a line that was torn by a crash was never acknowledged. */
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
    // Nothing may be appended to half a line.
    if (end < text.length) truncateSync(path, Buffer.byteLength(text.slice(0, end)));
    return text
      .slice(0, end)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  }

  /** Without room for a snapshot the log goes on as it is, and is tried again when it has grown. */
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

  /** Writes the present state beside the log, then swaps both: a crash in between leaves one or the other whole. */
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
