/** So many bytes of a session are kept, by dev and by a page. */
export const keptBytes = 64 * 1024 * 1024;

/** Tells a record to one reader. */
export interface RecordReading {
  /** All lines so far, each with its end, in pieces. */
  readonly past: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The lines that follow, as they come. A record that is over has none. */
  readonly live: AsyncIterable<Buffer> | undefined;
  readonly close: () => void;
}

/** A record that pages read. */
export interface PageRecord {
  /** `onLost` is called if the reader falls too far behind; it gets no more lines then. */
  read(onLost: () => void): RecordReading;
}
