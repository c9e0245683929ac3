// The lines of a record as bytes, and two of their keepers: a file, and standard output. `recent-record` is the third.

import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { atFile, makeFolder } from "../../shared/files.ts";
import { hideSecret } from "./hide-secrets.ts";

/** A line of a record as bytes. */
export interface RecordLine {
  readonly at: string;
  /** The JSON without a line feed, in parts, so that the bytes of objects need not be copied. */
  readonly parts: readonly (string | Buffer)[];
  /** The recorded write; unlike the line, it has the values of a Secret. */
  readonly write?: ClusterWrite;
}

/** Receives the lines of a session: a file, the memory for pages, or standard output. */
export interface LineKeeper {
  /** Starts a record with the line of the session. */
  open(first: RecordLine): void;
  add(line: RecordLine): void;
  close(): void;
}

/** Returns the line of anything but a write. */
export function lineOf(recorded: { readonly type: string; readonly at: string }): RecordLine {
  return { at: recorded.at, parts: [JSON.stringify(recorded)] };
}

/** Returns the line of a write. Only Secrets are parsed, to leave out their values. */
export function lineOfWrite(at: string, write: ClusterWrite): RecordLine {
  const { type, resource, key, by, bytes } = write;
  const head = JSON.stringify({ type: "write", at, write: type, resource, key, by });
  const object = resource === "secrets" ? withoutValues(bytes) : bytes;
  return { at, parts: [head.slice(0, -1), ',"object":', object, "}"], write };
}

/** Returns the length of a line in bytes, without a line feed. */
export function lengthOf({ parts }: RecordLine): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** Returns the bytes of lines, each with a line feed. */
export function bytesOf(lines: readonly RecordLine[]): Buffer {
  const parts = lines.flatMap((line) => [...line.parts, "\n"]);
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function withoutValues(bytes: Buffer): string {
  return JSON.stringify(hideSecret(JSON.parse(bytes.toString()) as KubernetesObject));
}

/** Prints each line when it is recorded, for programs that read the output of dev. */
export function printedLines(print: (line: string) => void): LineKeeper {
  const add = (line: RecordLine): void => print(bytesOf([line]).toString().trimEnd());
  return { open: add, add, close: () => undefined };
}

/** The options of the file of a record. */
export interface RecordingFileOptions {
  /** Called once if the file can't be written, or is full. */
  readonly onEnd: (reason: unknown) => void;
  /** The size limit of the file. */
  readonly maxBytes?: number | undefined;
}

const defaultMaxBytes = 256 * 1024 * 1024;

/** The time in milliseconds for which lines are collected before they are written. */
const writePause = 50;

/** The file of a record. Only its owner can read it. */
export class RecordingFile implements LineKeeper {
  readonly #path: string;
  readonly #onEnd: (reason: unknown) => void;
  #file: number | undefined;
  #lines: RecordLine[] = [];
  /** The number of bytes that may still be written. */
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, { onEnd, maxBytes = defaultMaxBytes }: RecordingFileOptions) {
    this.#path = path;
    this.#onEnd = onEnd;
    this.#left = maxBytes;
  }

  open(first: RecordLine): void {
    const path = this.#path;
    makeFolder(dirname(path));
    this.#file = atFile(path, () => openSync(path, "w", 0o600));
    // An existing file keeps its mode when it is opened.
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
    }, writePause).unref();
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

  /** Writes the rest and closes the file; returns the error of a write that failed. */
  #end(): unknown {
    if (this.#file === undefined) return undefined;
    clearTimeout(this.#timer);
    const failure = this.#flush();
    closeSync(this.#file);
    this.#file = undefined;
    return failure;
  }
}
