import type { Finding } from "./findings/finding.ts";

/** The number of bytes of a session that dev and the page keep. */
export const keptBytes = 64 * 1024 * 1024;

/** A record as one reader reads it. */
export interface RecordReading {
  /** The lines so far, in pieces of whole lines. */
  readonly past: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The following lines as they are recorded; undefined for a finished record. */
  readonly live: AsyncIterable<Buffer> | undefined;
  /** Returns the findings in all that was read. */
  readonly findings: () => readonly Finding[];
  readonly close: () => void;
}

/** A record that pages can read: of a running session, or a file. */
export interface PageRecord {
  /** Starts to read. `onLost` is called when the reader falls too far behind and is cut off. */
  read(onLost: () => void): RecordReading;
}
