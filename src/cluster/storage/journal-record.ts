import { crc32 } from "node:zlib";
import type { ApiObject } from "../contract/api-object.ts";
import type { Change } from "./change.ts";
import type { Entry } from "./entry.ts";

/** One line of a journal: a write, or a deletion if it has no object. */
export interface JournalRecord {
  /** The collection. */
  readonly c: string;
  readonly k: string;
  readonly r: number;
  readonly o?: ApiObject;
  /** The last state of a deleted object. Earlier versions wrote deletions without it. */
  readonly l?: ApiObject;
  /** In the first record of a snapshot: how many records follow. */
  readonly n?: number;
}

const newline = Buffer.from("\n");
const brace = Buffer.from("}");

/** The first line of a snapshot. */
export function encodeHead(revision: number, count: number): Buffer {
  return encodeLine([Buffer.from(JSON.stringify({ c: "", k: "", r: revision, n: count }))]);
}

/** The line of a state that a snapshot begins with. */
export function encodeState(collection: string, entry: Entry): Buffer {
  return encodeEntry(collection, entry, "o");
}

/** The line of a write. */
export function encodeChange(collection: string, { type, entry }: Change): Buffer {
  return encodeEntry(collection, entry, type === "DELETED" ? "l" : "o");
}

function encodeEntry(c: string, { key, revision, bytes }: Entry, field: "o" | "l"): Buffer {
  const head = JSON.stringify({ c, k: key, r: revision });
  return encodeLine([Buffer.from(`${head.slice(0, -1)},"${field}":`), bytes, brace]);
}

/** The checksum of a record's JSON, then the JSON. */
function encodeLine(json: readonly Buffer[]): Buffer {
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
