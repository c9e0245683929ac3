import { setImmediate } from "node:timers";
import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Change } from "./change.ts";
import { encodeChange, encodeHead, encodeState } from "./journal-record.ts";
import { readJournal } from "./read-journal.ts";
import { type RecentHistory, recentHistory } from "./recent-history.ts";
import type { Journal, Store } from "./store.ts";

/** Writes bytes from an offset on, or as many as there is room for, and returns how many. */
type Write = (file: number, bytes: Buffer, offset: number) => number;

export interface FileJournalOptions {
  /** The size of the log in bytes at which it is replaced with a snapshot. */
  readonly limit?: number;
  /** Writes to the disk; tests simulate a full one. */
  readonly write?: Write;
}

const compactAfter = 16 * 1024 * 1024;
/** A snapshot is written in blocks of about this many bytes. */
const blockSize = 1024 * 1024;

/**
 * A log of all writes since a snapshot, in a folder. A write is in the file before it is visible, so an acknowledged one
 * survives a crash of the process. A snapshot includes recent writes, so that watchers can resume after a restart. The
 * revision never goes back.
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

  append(collection: string, change: Change): void {
    const bytes = encodeChange(collection, change);
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

  /** Loads the folder into a new store. Throws a DamagedJournalError if a file is damaged. */
  restore(store: Store): void {
    try {
      store.load(readJournal(this.#path("snapshot"), this.#path("log")));
    } catch (error) {
      this.close();
      throw error;
    }
    this.#store = store;
    this.#size = fstatSync(this.#file).size;
  }

  /** A snapshot that is due is not written any more. */
  close(): void {
    this.#store = undefined;
    closeSync(this.#file);
  }

  /** If there is no room for a snapshot, the log is kept, and the next attempt follows when it has grown. */
  #compact(): void {
    if (!this.#store || this.#size <= this.#compactAt) return;
    const path = this.#path("snapshot.new");
    try {
      this.#writeSnapshot(path, recentHistory(this.#store.collections(), this.#compactAfter / 4));
    } catch {
      rmSync(path, { force: true, recursive: true });
      this.#compactAt = this.#size + this.#compactAfter;
      return;
    }
    this.#compactAt = this.#compactAfter;
  }

  /** Writes a new file, then renames it: a crash leaves either the old or the new file complete. */
  #writeSnapshot(path: string, history: RecentHistory): void {
    const file = openSync(path, "w", 0o600);
    try {
      let block: Buffer[] = [];
      let size = 0;
      const flush = (): void => {
        writeFileSync(file, Buffer.concat(block));
        block = [];
        size = 0;
      };
      for (const record of recordsOf(history)) {
        block.push(record);
        size += record.length;
        if (size >= blockSize) flush();
      }
      flush();
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

function* recordsOf({ revision, state, changes }: RecentHistory): Generator<Buffer> {
  yield encodeHead(revision, state.length + changes.length);
  for (const [collection, entry] of state) yield encodeState(collection, entry);
  for (const [collection, change] of changes) yield encodeChange(collection, change);
}
