import { open } from "node:fs/promises";
import type { PageRecord, RecordReading } from "./page-record.ts";
import { readRecording } from "./read-recording.ts";

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;

/** The record in a file that `tsbuilder dev --record` has written, for a page; other files are refused. */
export function fileRecord(path: string): PageRecord {
  readRecording(path);
  return {
    read: (): RecordReading => ({ past: wholeLines(path), live: undefined, close: () => undefined }),
  };
}

/** The last line of a session that is still running may not be written to its end yet. */
async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    let begun: Buffer[] = [];
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: pieceBytes })) {
      const bytes = piece as Buffer;
      const end = bytes.lastIndexOf(lineFeed) + 1;
      if (end > 0) yield Buffer.concat([...begun, bytes.subarray(0, end)]);
      begun = end > 0 ? [bytes.subarray(end)] : [...begun, bytes];
    }
  } finally {
    await file.close();
  }
}
