import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers";
import { crc32 } from "node:zlib";
import { tryLock } from "@tsbuilder/apimachinery/lock";
import type { Change, Entry } from "./entry.ts";
import type { Journal, RecordedHistory, RecordedWrite, Store } from "./store.ts";
import type { Collection } from "./collection.ts";
import type { ApiObject } from "../contract/api-object.ts";

/** Writes bytes from an offset on. Returns the number of bytes written, which a full disk limits. */
type WriteBytes = (file: number, bytes: Buffer, offset: number) => number;

export interface FileJournalOptions {
  /** The size of the log in bytes at which it is replaced with a snapshot. */
  readonly limit?: number;
  /** Writes to the disk; tests simulate a full one. */
  readonly write?: WriteBytes;
}

const defaultLimit = 16 * 1024 * 1024;

/** A snapshot is written in blocks of about this many bytes. */
const blockSize = 1024 * 1024;
/** The part of the limit that the recent writes in a snapshot may take. */
const recentShare = 0.25;

/**
 * A log of all writes since a snapshot, in a folder. A write is in the file before it is visible, so an acknowledged one
 * survives a crash of the process. A snapshot includes recent writes, so that watchers can resume after a restart. The
 * revision never goes back.
 */
export class FileJournal implements Journal {
  readonly #folder: string;
  readonly #limit: number;
  readonly #writeBytes: WriteBytes;
  #store: Store | undefined;
  #file: number;
  #size = 0;
  #compactAt: number;

  constructor(folder: string, { limit = defaultLimit, write = fs.writeSync }: FileJournalOptions = {}) {
    this.#folder = folder;
    this.#limit = limit;
    this.#compactAt = limit;
    this.#writeBytes = write;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = fs.openSync(this.#path("log"), "a", 0o600);
  }

  /** Writes a change to the log, synchronously. Throws if the disk does not take it. */
  append(collection: string, change: Change): void {
    const bytes = encodeChange(collection, change);
    this.#write(bytes);
    this.#size += bytes.length;
    if (this.#size > this.#compactAt) setImmediate(() => this.#compact());
  }

  /** Writes a whole line or nothing: a nearly full disk may accept only its first part. */
  #write(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += this.#writeBytes(this.#file, bytes, written);
    } catch (error) {
      fs.ftruncateSync(this.#file, fs.fstatSync(this.#file).size - written);
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
    this.#size = fs.fstatSync(this.#file).size;
  }

  /** Closes the log. A snapshot that is due is not written. */
  close(): void {
    this.#store = undefined;
    fs.closeSync(this.#file);
  }

  /** Replaces the log with a snapshot. If the disk has no room for one, the log stays until it has grown by the limit. */
  #compact(): void {
    if (!this.#store || this.#size <= this.#compactAt) return;
    const path = this.#path("snapshot.new");
    try {
      this.#writeSnapshot(path, recentHistory(this.#store.collections(), this.#limit * recentShare));
    } catch {
      fs.rmSync(path, { force: true, recursive: true });
      this.#compactAt = this.#size + this.#limit;
      return;
    }
    this.#compactAt = this.#limit;
  }

  /** Writes a new file, then renames it: a crash leaves either the old or the new file complete. */
  #writeSnapshot(path: string, history: RecentHistory): void {
    const file = fs.openSync(path, "w", 0o600);
    try {
      let block: Buffer[] = [];
      let size = 0;
      const flush = (): void => {
        fs.writeFileSync(file, Buffer.concat(block));
        block = [];
        size = 0;
      };
      for (const record of recordsOf(history)) {
        block.push(record);
        size += record.length;
        if (size >= blockSize) flush();
      }
      flush();
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(path, this.#path("snapshot"));
    fs.ftruncateSync(this.#file);
    this.#size = 0;
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.jsonl`);
  }
}

/** A state of all resources, and every change after it. */
interface RecentHistory {
  /** The revision of the state. */
  readonly revision: number;
  readonly state: ReadonlyArray<readonly [collection: string, entry: Entry]>;
  readonly changes: ReadonlyArray<readonly [collection: string, change: Change]>;
}

/** The lines of a snapshot: a head, states, and writes. */
function* recordsOf({ revision, state, changes }: RecentHistory): Generator<Buffer> {
  const head = { c: "", k: "", r: revision, n: state.length + changes.length };
  yield encodeLine([Buffer.from(JSON.stringify(head))]);
  for (const [collection, entry] of state) yield encodeEntry(collection, entry, "o");
  for (const [collection, change] of changes) yield encodeChange(collection, change);
}

/** The line of a write. */
function encodeChange(collection: string, { type, entry }: Change): Buffer {
  return encodeEntry(collection, entry, type === "DELETED" ? "l" : "o");
}

const closeBrace = Buffer.from("}");

function encodeEntry(c: string, { key, revision, bytes }: Entry, field: "o" | "l"): Buffer {
  const head = JSON.stringify({ c, k: key, r: revision });
  return encodeLine([Buffer.from(`${head.slice(0, -1)},"${field}":`), bytes, closeBrace]);
}

const newline = Buffer.from("\n");

/** Encodes a line: the checksum of a record's JSON, then the JSON. */
function encodeLine(json: readonly Buffer[]): Buffer {
  const sum = json.reduce((before, part) => crc32(part, before), 0);
  return Buffer.concat([Buffer.from(`${hexOf(sum)} `), ...json, newline]);
}

/** The longest history that is complete for all resources and whose objects take at most this many bytes. */
function recentHistory(collections: readonly Collection[], bytes: number): RecentHistory {
  const oldest = Math.max(1, ...collections.map(({ compactedRevision }) => compactedRevision));
  const changes = collections
    .flatMap((item) => item.changesSince(oldest)!.map((change) => [item.name, change] as const))
    .sort(([, a], [, b]) => a.revision - b.revision);
  let start = changes.length;
  let bytesLeft = bytes;
  while (start > 0) {
    bytesLeft -= changes[start - 1]![1].entry.bytes.length;
    if (bytesLeft < 0) break;
    start--;
  }
  const revision = start === 0 ? oldest : changes[start - 1]![1].revision;
  return {
    revision,
    state: collections.flatMap((item) => item.stateAt(revision)!.map((entry) => [item.name, entry] as const)),
    changes: changes.slice(start),
  };
}

/**
 * Reads a snapshot and the log after it. An incomplete last line of the log is cut off: its write was never acknowledged.
 * Throws a DamagedJournalError for any other damage.
 */
function readJournal(snapshotPath: string, logPath: string): RecordedHistory {
  const snapshot = readSnapshot(snapshotPath);
  const last = snapshot.writes.at(-1)?.revision ?? snapshot.revision;
  return { ...snapshot, writes: snapshot.writes.concat(readLog(logPath, last)) };
}

/** The first record has the revision of the state that follows. Later revisions are writes after it. */
function readSnapshot(path: string) {
  const lines = readLines(path);
  if (lines.length === 0) return { revision: 1, state: [], writes: [] as RecordedWrite[] };
  if (lines.at(-1)!.length > 0) throw damagedSnapshot(path, lines.length, "it is incomplete");
  const [head, ...records] = lines.slice(0, -1).map((line, index) => {
    const record = decodeRecord(line);
    if (!record) throw damagedSnapshot(path, index + 1, wrongSum);
    return record;
  });
  const { r: revision, n: count } = head!;
  if (records.length !== count) {
    const why = `${records.length} of ${count} records follow its first one`;
    throw damagedSnapshot(path, lines.length, why);
  }
  const writes = records.map(toWrite);
  const isState = (write: RecordedWrite): boolean => write.revision <= revision;
  return { revision, state: writes.filter(isState), writes: writes.filter((write) => !isState(write)) };
}

/** One line of a journal: the collection, key and revision of a write, and its object, which a deletion lacks. */
interface JournalRecord {
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly o?: ApiObject;
  /** The last state of a deleted object. */
  readonly l?: ApiObject;
  /** In the first record of a snapshot: how many records follow. */
  readonly n?: number;
}

/** The writes after a revision. A crash may have left older ones, which are in the snapshot. */
function readLog(path: string, after: number): RecordedWrite[] {
  const lines = readLines(path);
  const torn = lines.pop();
  const records: JournalRecord[] = [];
  let expected = after + 1;
  for (const [index, line] of lines.entries()) {
    const record = decodeRecord(line);
    if (!record) throw damagedLog(path, index + 1, wrongSum);
    const isGap = records.length === 0 ? record.r > expected : record.r !== expected;
    if (isGap)
      throw damagedLog(path, index + 1, `it is revision ${record.r}, and revision ${expected} is missing`);
    expected = record.r + 1;
    records.push(record);
  }
  // Nothing may be appended to an incomplete line.
  if (torn && torn.length > 0) fs.truncateSync(path, fs.statSync(path).size - torn.length);
  return records.filter(({ r }) => r > after).map(toWrite);
}

/** The lines of a file; the last one is what follows the last newline. */
function readLines(path: string): Buffer[] {
  if (!fs.existsSync(path)) return [];
  const bytes = fs.readFileSync(path);
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return bytes.length === 0 ? [] : [...lines, bytes.subarray(start)];
}

/** The length of a checksum in hexadecimal and the space after it. */
const checksumLength = 9;

/** Decodes a line without its newline; undefined if its checksum does not match. */
function decodeRecord(line: Buffer): JournalRecord | undefined {
  const json = line.subarray(checksumLength);
  const isWhole = line.toString("latin1", 0, checksumLength) === `${hexOf(crc32(json))} `;
  return isWhole ? (JSON.parse(json.toString("utf8")) as JournalRecord) : undefined;
}

const wrongSum = "its checksum does not match";

function hexOf(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

function toWrite({ c, k, r, o, l }: JournalRecord): RecordedWrite {
  return { collection: c, key: k, revision: r, object: o, lastState: l };
}

const restoreHint = "restore the folder from a backup, or start with an empty one";

/** The error for a damaged line of the log; earlier lines can be kept. */
function damagedLog(path: string, line: number, why: string): DamagedJournalError {
  const name = basename(path);
  const hint =
    line === 1
      ? restoreHint
      : `${restoreHint}, or drop this and all later writes: cd "${dirname(path)}" && head -n ${line - 1} ${name} > ${name}.good && mv ${name}.good ${name}`;
  return new DamagedJournalError(path, line, why, hint);
}

/** Thrown if a file of a data folder can't be read. `hint` says how to start the cluster again. */
class DamagedJournalError extends Error {
  override readonly name = "DamagedJournalError";
  readonly code = "EDAMAGED";
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly hint: string;

  constructor(path: string, line: number, why: string, hint: string) {
    super(`line ${line} of "${path}" is damaged: ${why}`);
    this.path = path;
    this.line = line;
    this.hint = hint;
  }
}

function damagedSnapshot(path: string, line: number, why: string): DamagedJournalError {
  return new DamagedJournalError(path, line, why, restoreHint);
}

/** Locks a folder until the returned function is called or this process ends. Throws if another process has locked it. */
export function lockFolder(folder: string): () => void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = tryLock(join(folder, "lock"));
  if (lock.heldBy) throw new FolderInUseError(folder, lock.heldBy.pid);
  return lock.release;
}

/** Thrown if another cluster uses the folder. */
class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
  readonly code = "ELOCKED";
  readonly path: string;

  constructor(path: string, holder: number) {
    super(`the process ${holder} keeps its objects in "${path}"`);
    this.path = path;
  }
}
