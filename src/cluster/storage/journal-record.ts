import { crc32 } from "node:zlib";
import type { ApiObject } from "../contract/api-object.ts";

/** One line of a journal: a write, or a deletion if it has no object. */
export interface JournalRecord {
  /** The collection. */
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly o?: ApiObject;
  /** In the first record of a snapshot: how many records follow. */
  readonly n?: number;
}

const newline = Buffer.from("\n");
const brace = Buffer.from("}");

/** A line: the checksum of the record's JSON, then the JSON. The object's own JSON is given. */
export function encodeRecord(record: Omit<JournalRecord, "o">, object?: Buffer): Buffer {
  const head = JSON.stringify(record);
  const json = object ? [Buffer.from(`${head.slice(0, -1)},"o":`), object, brace] : [Buffer.from(head)];
  const sum = json.reduce((before, part) => crc32(part, before), 0);
  return Buffer.concat([Buffer.from(`${hexOf(sum)} `), ...json, newline]);
}

/** A decoded line. Earlier versions wrote records without checksums. */
export interface DecodedRecord {
  readonly record: JournalRecord;
  readonly isChecked: boolean;
}

/** Decodes a line without its newline. Returns a reason if it is damaged. */
export function decodeRecord(line: Buffer): DecodedRecord | string {
  const isChecked = line[0] !== 0x7b;
  const json = isChecked ? line.subarray(9) : line;
  if (isChecked && line.toString("latin1", 0, 9) !== `${hexOf(crc32(json))} `) {
    return "its checksum does not match";
  }
  try {
    const record = JSON.parse(json.toString("utf8")) as JournalRecord;
    return typeof record.c === "string" && typeof record.k === "string" && Number.isInteger(record.r)
      ? { record, isChecked }
      : "it is not a record of a write";
  } catch {
    return "it is not JSON";
  }
}

function hexOf(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
