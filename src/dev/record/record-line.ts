import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
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

export function lineOf(recorded: { readonly type: string; readonly at: string }): RecordLine {
  return { at: recorded.at, parts: [JSON.stringify(recorded)] };
}

/** Returns the line of a write. Only Secrets are parsed, to leave out their values. */
export function lineOfWrite(at: string, write: ClusterWrite): RecordLine {
  const { type, resource, key, by, bytes } = write;
  const head = JSON.stringify({ type: "write", at, write: type, resource, key, by });
  const object = resource === "secrets" ? hidden(bytes) : bytes;
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

function hidden(bytes: Buffer): string {
  return JSON.stringify(hideSecret(JSON.parse(bytes.toString()) as KubernetesObject));
}

/** Prints each line when it is recorded, for programs that read the output of dev. */
export function printedLines(print: (line: string) => void): LineKeeper {
  const add = (line: RecordLine): void => print(bytesOf([line]).toString().trimEnd());
  return { open: add, add, close: () => undefined };
}
