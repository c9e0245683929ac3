import { existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { damagedLog, damagedSnapshot } from "./damaged-journal-error.ts";
import { decodeRecord, type JournalRecord } from "./journal-record.ts";
import type { RecordedHistory, RecordedWrite } from "./store.ts";

/**
 * Reads a snapshot and the log after it. An incomplete last line of the log is cut off: its write was never acknowledged.
 * Throws a DamagedJournalError for any other damage.
 */
export function readJournal(snapshotPath: string, logPath: string): RecordedHistory {
  const snapshot = readSnapshot(snapshotPath);
  const last = snapshot.writes.at(-1)?.revision ?? snapshot.revision;
  return { ...snapshot, writes: snapshot.writes.concat(readLog(logPath, last)) };
}

interface ReadSnapshot extends RecordedHistory {
  readonly writes: readonly RecordedWrite[];
}

/** The first record has the revision of the state that follows. Later revisions are writes after it. */
function readSnapshot(path: string): ReadSnapshot {
  const lines = readLines(path);
  if (lines.length === 0) return { revision: 1, state: [], writes: [] };
  if (lines.at(-1)!.length > 0) throw damagedSnapshot(path, lines.length, "it is incomplete");
  const [head, ...records] = lines.slice(0, -1).map((line, index) => {
    const decoded = decodeRecord(line);
    if (typeof decoded === "string") throw damagedSnapshot(path, index + 1, decoded);
    return decoded.record;
  });
  const { r: revision, n: count = records.length } = head!;
  if (records.length !== count) {
    const why = `${records.length} of ${count} records follow its first one`;
    throw damagedSnapshot(path, lines.length, why);
  }
  const writes = records.map(writeOf);
  const isState = (write: RecordedWrite): boolean => write.revision <= revision;
  return { revision, state: writes.filter(isState), writes: writes.filter((each) => !isState(each)) };
}

/** The writes after a revision. A crash may have left older ones, which are in the snapshot. */
function readLog(path: string, after: number): RecordedWrite[] {
  const lines = readLines(path);
  const torn = lines.pop();
  const records: JournalRecord[] = [];
  let expected = after + 1;
  for (const [index, line] of lines.entries()) {
    const decoded = decodeRecord(line);
    if (typeof decoded === "string") throw damagedLog(path, index + 1, decoded);
    const { record, isChecked } = decoded;
    const isGap = records.length === 0 ? record.r > expected : record.r !== expected;
    if (isChecked && isGap) {
      throw damagedLog(path, index + 1, `it is revision ${record.r}, and revision ${expected} is missing`);
    }
    expected = record.r + 1;
    records.push(record);
  }
  // Nothing may be appended to an incomplete line.
  if (torn && torn.length > 0) truncateSync(path, statSync(path).size - torn.length);
  return records.filter(({ r }) => r > after).map(writeOf);
}

function writeOf({ c, k, r, o, l }: JournalRecord): RecordedWrite {
  return { collection: c, key: k, revision: r, object: o, lastState: l };
}

/** The lines of a file; the last one is what follows the last newline. */
function readLines(path: string): Buffer[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return bytes.length === 0 ? [] : [...lines, bytes.subarray(start)];
}
