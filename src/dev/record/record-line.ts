import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { hideSecret } from "./hide-secrets.ts";

/** A line of a record. */
export interface RecordLine {
  readonly at: string;
  /** Its JSON, without the end of the line; objects' bytes are not copied. */
  readonly parts: readonly (string | Buffer)[];
  /** The write that it tells, with what a Secret holds. */
  readonly write?: ClusterWrite;
}

/** Something that keeps the lines of a session. */
export interface LineKeeper {
  /** Begins anew with the line that names the session. */
  open(first: RecordLine): void;
  add(line: RecordLine): void;
  close(): void;
}

export function lineOf(recorded: { readonly type: string; readonly at: string }): RecordLine {
  return { at: recorded.at, parts: [JSON.stringify(recorded)] };
}

/** Only Secrets are parsed, whose values are left out. */
export function lineOfWrite(at: string, write: ClusterWrite): RecordLine {
  const { type, resource, key, by, bytes } = write;
  const head = JSON.stringify({ type: "write", at, write: type, resource, key, by });
  const object = resource === "secrets" ? hidden(bytes) : bytes;
  return { at, parts: [head.slice(0, -1), ',"object":', object, "}"], write };
}

/** The length of its JSON in bytes. */
export function lengthOf({ parts }: RecordLine): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** The bytes of lines, each with its end. */
export function bytesOf(lines: readonly RecordLine[]): Buffer {
  const parts = lines.flatMap((line) => [...line.parts, "\n"]);
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function hidden(bytes: Buffer): string {
  return JSON.stringify(hideSecret(JSON.parse(bytes.toString()) as KubernetesObject));
}

/** Prints each line of a session when it is recorded, for programs that read along. */
export function printedLines(print: (line: string) => void): LineKeeper {
  const add = (line: RecordLine): void => print(bytesOf([line]).toString().trimEnd());
  return { open: add, add, close: () => undefined };
}
