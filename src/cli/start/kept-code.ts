import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Compiled code of a script, as V8 wrote it down after an earlier run. */
export interface KeptCode {
  readonly data: Buffer;
  /** The runs that have added what they compiled. */
  readonly runs: number;
}

/** A checksum of the source and one of the code, the number of runs, and four bytes that align what follows for V8. */
const headerLength = 16;

/**
 * Reads the code of a source; undefined if there is none. V8 compares only the length of a source with the one that it
 * has compiled, and trusts the code that it is given: both are checked here.
 */
export function readCode(file: string, source: Buffer): KeptCode | undefined {
  const bytes = readIfPossible(file);
  if (bytes === undefined || bytes.length < headerLength) return undefined;
  const data = bytes.subarray(headerLength);
  const isWhole = bytes.readUInt32LE(0) === crc32(source) && bytes.readUInt32LE(4) === crc32(data);
  return isWhole ? { data, runs: bytes.readUInt32LE(8) } : undefined;
}

/** Replaces the file at once: another command may be reading it. */
export function writeCode(file: string, source: Buffer, { data, runs }: KeptCode): void {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32LE(crc32(source), 0);
  header.writeUInt32LE(crc32(data), 4);
  header.writeUInt32LE(runs, 8);
  const written = `${file}.${process.pid}`;
  writeFileSync(written, Buffer.concat([header, data]), { mode: 0o600 });
  renameSync(written, file);
}

function readIfPossible(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
