import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { atFile } from "../../shared/at-file.ts";
import { makeFolder } from "../../shared/write-output.ts";
import { bytesOf, lengthOf, type LineKeeper, lineOf, type RecordLine } from "./record-line.ts";

/** After so many bytes nothing more is recorded. */
const mostBytes = 256 * 1024 * 1024;

/** Lines are written together, after so many milliseconds. */
const pause = 50;

export interface RecordingFileOptions {
  /** Called once if the file can't be written, or is full. */
  readonly onEnd: (reason: unknown) => void;
  readonly most?: number | undefined;
}

/** The file with the lines of a session. Others can't read it. */
export class RecordingFile implements LineKeeper {
  readonly #path: string;
  readonly #onEnd: (reason: unknown) => void;
  #file: number | undefined;
  #lines: RecordLine[] = [];
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, { onEnd, most = mostBytes }: RecordingFileOptions) {
    this.#path = path;
    this.#onEnd = onEnd;
    this.#left = most;
  }

  open(first: RecordLine): void {
    const path = this.#path;
    makeFolder(dirname(path));
    this.#file = atFile(path, () => openSync(path, "w", 0o600));
    // A file that was there keeps its mode.
    if (fstatSync(this.#file).isFile()) fchmodSync(this.#file, 0o600);
    this.add(first);
  }

  add(line: RecordLine): void {
    if (this.#file === undefined) return;
    this.#left -= lengthOf(line);
    if (this.#left < 0) {
      this.#lines.push(lineOf({ type: "full", at: line.at }));
      this.#onEnd(this.#end() ?? new Error("it is full"));
      return;
    }
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const failure = this.#flush();
      if (failure === undefined) return;
      this.#end();
      this.#onEnd(failure);
    }, pause).unref();
  }

  close(): void {
    const failure = this.#end();
    if (failure !== undefined) this.#onEnd(failure);
  }

  /** Returns the error of a write that failed. */
  #flush(): unknown {
    const lines = this.#lines;
    this.#lines = [];
    try {
      const bytes = bytesOf(lines);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file!, bytes, at);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Writes what is left, and closes the file; nothing more is recorded. */
  #end(): unknown {
    if (this.#file === undefined) return undefined;
    clearTimeout(this.#timer);
    const failure = this.#flush();
    closeSync(this.#file);
    this.#file = undefined;
    return failure;
  }
}
