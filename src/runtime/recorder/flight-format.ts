// The format of a flight record: entries of cells of eight bytes, which are numbers, and after them the bytes of texts, up to a whole
// cell. Texts that are few, such as names of controllers, are written once, and entries refer to them. An entry is written in
// less than a microsecond then.
//
// A segment is a header and the entries after it; it refers to its own texts only. Segments are served in frames, because the
// file of a process that was killed may end within an entry.

import type { ChannelMessages, ObjectChange } from "../tracing/channels.ts";

/** The version of the format. */
export const flightFormat = 2;

/** The first cell of each entry. Times are milliseconds since 1970; what is absent is -1, or NaN where -1 is a value. */
export const entryKinds = {
  /** id, bytes of the text */
  text: 1,
  /** time, controller, cause, milliseconds until it may run, bytes of the request, bytes of the key that the cause is about */
  enqueued: 2,
  /** time, run, controller, bytes of the request */
  began: 3,
  /** time, run, method, code, milliseconds, bytes of the path */
  requested: 4,
  /** time, run, outcome, milliseconds, milliseconds until it runs again, error, stack, reconcileID */
  ended: 5,
  /** time, bytes of the JSON of a `FlightBlock` */
  block: 6,
} as const;

/** How many cells each kind of entry has, and how many of the last ones are lengths of the texts that follow. */
const layouts: Readonly<Record<number, { readonly cells: number; readonly texts: number }>> = {
  [entryKinds.text]: { cells: 3, texts: 1 },
  [entryKinds.enqueued]: { cells: 7, texts: 2 },
  [entryKinds.began]: { cells: 5, texts: 1 },
  [entryKinds.requested]: { cells: 7, texts: 1 },
  [entryKinds.ended]: { cells: 9, texts: 0 },
  [entryKinds.block]: { cells: 3, texts: 1 },
};

/** The most cells of an entry without its texts. */
export const maxCells = 9;

export const cellBytes = 8;

/** The beginning of a segment. */
export interface FlightHeader {
  readonly channel: "tsbuilder:flight";
  readonly format: number;
  readonly name: string;
  readonly pod: string;
  /** When the process began, which identifies it within its pod. */
  readonly since: number;
}

/** A change of an object that the operator caches, or its state before the first change that is recorded. */
export interface FlightChange {
  readonly channel: "tsbuilder:change";
  readonly change: ObjectChange["type"] | "before";
  /** Plural and group: `statefulsets.apps`. */
  readonly resource: string;
  /** The operator itself made the change. */
  readonly isOwnWrite: boolean;
  /** The field manager that wrote last; undefined if it is unknown. */
  readonly manager: string | undefined;
  readonly object: ObjectChange["object"];
}

/** What is written as JSON. */
export type FlightBlock =
  | FlightHeader
  | FlightChange
  | { readonly channel: "tsbuilder:log"; readonly text: string }
  | ({ readonly channel: "tsbuilder:sample" } & ChannelMessages["tsbuilder:sample"]);

type RunMessage<Name extends "tsbuilder:enqueue" | "tsbuilder:reconcile:start" | "tsbuilder:request"> = {
  readonly channel: Name;
} & ChannelMessages[Name];

/** What a record tells, one by one. Until its end, the `reconcileID` of a reconcile is its number in its process. */
export type FlightLine = { readonly at: number } & (
  | FlightBlock
  | RunMessage<"tsbuilder:enqueue">
  | RunMessage<"tsbuilder:reconcile:start">
  | RunMessage<"tsbuilder:request">
  | ({
      readonly channel: "tsbuilder:reconcile:end";
      /** The `reconcileID` in lines of the log; undefined if it has none. */
      readonly loggedID: string | undefined;
    } & Omit<ChannelMessages["tsbuilder:reconcile:end"], "controller" | "request">)
);

/** Two cells before each part of a served record: this number, which is no kind, and the length of the part in bytes. */
const frameMark = 7_236_824_512;
const frameBytes = 2 * cellBytes;

/** What is served when everything is sent that has happened so far. */
export const emptyPart = new Uint8Array(0);

/** Returns a part of a record as it is served. */
export function frame(part: Uint8Array): Uint8Array[] {
  return [new Uint8Array(new Float64Array([frameMark, part.byteLength]).buffer), part];
}

/** Returns the entry of a block, for which there is no segment. */
export function blockEntry(at: number, block: FlightBlock): Uint8Array {
  const text = Buffer.from(JSON.stringify(block));
  const { cells: fixed } = layouts[entryKinds.block]!;
  const cells = new Float64Array(fixed + Math.ceil(text.length / cellBytes));
  cells.set([entryKinds.block, at, text.length]);
  const bytes = new Uint8Array(cells.buffer);
  bytes.set(text, fixed * cellBytes);
  return bytes;
}

/** Calls `visit` with the place of each whole entry. Stops where an entry is damaged or unfinished. */
export function eachEntry(cells: Float64Array, visit: (kind: number, place: number) => void): void {
  for (let place = 0; place < cells.length;) {
    const kind = cells[place]!;
    const layout = layouts[kind];
    if (layout === undefined) return;
    let bytes = 0;
    for (let text = 1; text <= layout.texts; text++) bytes += cells[place + layout.cells - text]!;
    const length = layout.cells + Math.ceil(bytes / cellBytes);
    if (!(place + length <= cells.length)) return;
    visit(kind, place);
    place += length;
  }
}

/** Returns one of the texts that follow the cells of an entry. */
export function textAt(cells: Float64Array, place: number, index = 0): string {
  const { cells: fixed, texts } = layouts[cells[place]!]!;
  let start = cells.byteOffset + (place + fixed) * cellBytes;
  for (let before = 0; before < index; before++) start += cells[place + fixed - texts + before]!;
  return Buffer.from(cells.buffer, start, cells[place + fixed - texts + index]).toString();
}

/** Reads a served record piece by piece, as it comes. */
export class FlightReader {
  #rest: Buffer = Buffer.alloc(0);
  #texts = new Map<number, string>();
  #process = "";
  /** How often everything had been sent that had happened until then. */
  caughtUp = 0;

  /** Returns what the frames tell that are complete now. Throws if the bytes are no record. */
  push(piece: Uint8Array): FlightLine[] {
    let rest = Buffer.concat([this.#rest, piece]);
    const lines: FlightLine[] = [];
    while (rest.length >= frameBytes) {
      if (rest.readDoubleLE(0) !== frameMark) throw new Error("these bytes are not a record");
      const end = frameBytes + rest.readDoubleLE(cellBytes);
      if (rest.length < end) break;
      // A copy begins at a multiple of eight bytes, as cells must.
      const part = Uint8Array.from(rest.subarray(frameBytes, end));
      rest = rest.subarray(end);
      if (part.length === 0) this.caughtUp++;
      this.#read(new Float64Array(part.buffer, 0, Math.floor(part.length / cellBytes)), lines);
    }
    this.#rest = rest;
    return lines;
  }

  #read(cells: Float64Array, lines: FlightLine[]): void {
    eachEntry(cells, (kind, place) => {
      if (kind === entryKinds.text) this.#texts.set(cells[place + 1]!, textAt(cells, place));
      else lines.push(this.#line(kind, cells, place));
    });
  }

  #line(kind: number, cells: Float64Array, place: number): FlightLine {
    const number = (offset: number): number | undefined => {
      const value = cells[place + offset]!;
      return Number.isNaN(value) ? undefined : value;
    };
    const text = (offset: number): string => this.#texts.get(cells[place + offset]!) ?? "";
    const textOrNone = (offset: number): string | undefined =>
      cells[place + offset] === -1 ? undefined : text(offset);
    const at = number(1) ?? 0;
    const reconcileID = `${this.#process}-${number(2)}`;
    switch (kind) {
      case entryKinds.enqueued:
        return {
          channel: "tsbuilder:enqueue",
          at,
          controller: text(2),
          request: textAt(cells, place),
          cause: [text(3), textAt(cells, place, 1)].filter(Boolean).join(" "),
          after: number(4),
        };
      case entryKinds.began:
        return {
          channel: "tsbuilder:reconcile:start",
          at,
          reconcileID,
          controller: text(3),
          request: textAt(cells, place),
        };
      case entryKinds.requested:
        return {
          channel: "tsbuilder:request",
          at,
          reconcileID: number(2) === -1 ? undefined : reconcileID,
          method: text(3),
          path: textAt(cells, place),
          code: text(4),
          seconds: (number(5) ?? 0) / 1000,
        };
      case entryKinds.ended:
        return {
          channel: "tsbuilder:reconcile:end",
          at,
          reconcileID,
          outcome: text(3) as ChannelMessages["tsbuilder:reconcile:end"]["outcome"],
          seconds: (number(4) ?? 0) / 1000,
          requeueAfter: number(5),
          error: textOrNone(6),
          stack: textOrNone(7),
          loggedID: textOrNone(8),
        };
      default: {
        const block = JSON.parse(textAt(cells, place)) as FlightBlock;
        if (block.channel === "tsbuilder:flight") {
          if (block.format !== flightFormat) throw new Error(`the format of the record is ${block.format}`);
          this.#texts = new Map();
          this.#process = `${block.pod}-${block.since}`;
        }
        return { ...block, at };
      }
    }
  }
}
