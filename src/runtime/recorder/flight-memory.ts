// The last minutes of what the runtime does, as cells outside of V8's heap: objects that live for minutes would cost the garbage
// collector a quarter of the operator's processor time.

import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { formatError, stackOf } from "../log/format-field.ts";
import type {
  EnqueueCause,
  ObjectChange,
  ReconcileEnd,
  RuntimeReceiver,
  SampleMessage,
} from "../tracing/channels.ts";
import { cellBytes, eachEntry, entryKinds, type FlightBlock, maxCells, textAt } from "./flight-format.ts";
import { ObjectChanges } from "./object-changes.ts";

/** Entries in memory, with their header. */
export class Segment {
  readonly bytes: Buffer;
  readonly cells: Float64Array;
  readonly number: number;
  /** The number of cells that have been written. */
  used = 0;
  /** The bytes that a file has, too. */
  saved = 0;

  constructor(number: number, buffer: ArrayBuffer) {
    this.number = number;
    this.bytes = Buffer.from(buffer);
    this.cells = new Float64Array(buffer);
  }

  /** The bytes that have been written. */
  get content(): Buffer {
    return this.bytes.subarray(0, this.used * cellBytes);
  }
}

/** The longest text of an error, a stack or a line of the log, in characters. */
const maxText = 16_384;

/** How many texts are known at most, such as errors: they are on V8's heap, too. */
const maxTexts = 4096;

const slash = 0x2f;

/** What a memory needs. */
interface MemoryParts {
  /** The bytes of each segment. */
  readonly segmentBytes: number;
  /** The bytes of V8's heap that states of objects may take. */
  readonly objectBytes: number;
  readonly clock: Clock;
  readonly header: () => FlightBlock;
  readonly onSample: (sample: SampleMessage) => void;
}

/** Two segments of a fixed size: the older one is dropped when the newer one is full. */
export class FlightMemory implements RuntimeReceiver {
  readonly #parts: MemoryParts;
  readonly #segmentBytes: number;
  readonly changes: ObjectChanges;
  #older: Segment | undefined;
  #newer: Segment;
  /** The milliseconds between the monotonic clock and the time, while the newer segment is written. */
  #epoch: number;
  // Those of the newer segment, without a detour.
  #cells: Float64Array;
  #bytes: Buffer;
  #used = 0;
  #texts = new Map<string, number>();
  #textCount = 0;

  constructor(parts: MemoryParts) {
    this.#parts = parts;
    this.#segmentBytes = Math.floor(parts.segmentBytes / cellBytes) * cellBytes;
    this.changes = new ObjectChanges(parts.objectBytes);
    this.#newer = new Segment(0, new ArrayBuffer(this.#segmentBytes));
    this.#cells = this.#newer.cells;
    this.#bytes = this.#newer.bytes;
    this.#epoch = this.#readEpoch();
    this.block(parts.header());
  }

  /** The segments, the oldest first. */
  get segments(): readonly Segment[] {
    this.#newer.used = this.#used;
    return this.#older ? [this.#older, this.#newer] : [this.#newer];
  }

  enqueued(
    controller: string,
    request: string,
    { cause, about }: EnqueueCause,
    after: number | undefined,
  ): void {
    const { namespace = "", name = "" } = about ?? {};
    const characters = controller.length + cause.length + request.length + namespace.length + name.length + 1;
    if (!this.#reserve(characters)) return;
    const controllerText = this.#text(controller);
    const causeText = this.#text(cause);
    const place = this.#begin(entryKinds.enqueued, this.#parts.clock.monotonic());
    const cells = this.#cells;
    cells[place + 2] = controllerText;
    cells[place + 3] = causeText;
    cells[place + 4] = after ?? NaN;
    const start = (place + 7) * cellBytes;
    const requestBytes = this.#bytes.write(request, start);
    let end = start + requestBytes;
    if (namespace !== "") {
      end += this.#bytes.write(namespace, end);
      this.#bytes[end++] = slash;
    }
    end += this.#bytes.write(name, end);
    cells[place + 5] = requestBytes;
    cells[place + 6] = end - start - requestBytes;
    this.#end(end);
  }

  began(moment: number, run: number, controller: string, request: string): void {
    if (!this.#reserve(controller.length + request.length)) return;
    const controllerText = this.#text(controller);
    const place = this.#begin(entryKinds.began, moment);
    const cells = this.#cells;
    cells[place + 2] = run;
    cells[place + 3] = controllerText;
    const start = (place + 5) * cellBytes;
    const bytes = this.#bytes.write(request, start);
    cells[place + 4] = bytes;
    this.#end(start + bytes);
  }

  requested(
    moment: number,
    run: number | undefined,
    method: string,
    path: string,
    code: string,
    milliseconds: number,
  ): void {
    if (!this.#reserve(method.length + path.length + code.length)) return;
    const methodText = this.#text(method);
    const codeText = this.#text(code);
    const place = this.#begin(entryKinds.requested, moment);
    const cells = this.#cells;
    cells[place + 2] = run ?? -1;
    cells[place + 3] = methodText;
    cells[place + 4] = codeText;
    cells[place + 5] = milliseconds;
    const start = (place + 7) * cellBytes;
    const bytes = this.#bytes.write(path, start);
    cells[place + 6] = bytes;
    this.#end(start + bytes);
  }

  ended(
    moment: number,
    run: number,
    end: ReconcileEnd,
    milliseconds: number,
    reconcileID: string | undefined,
  ): void {
    const error = end.error && formatError(end.error).slice(0, maxText);
    const stack = end.error && stackOf(end.error)?.slice(0, maxText);
    const characters = end.outcome.length + (error?.length ?? 0) + (stack?.length ?? 0);
    if (!this.#reserve(characters + (reconcileID?.length ?? 0))) return;
    const outcomeText = this.#text(end.outcome);
    const errorText = error === undefined ? -1 : this.#text(error);
    const stackText = stack === undefined ? -1 : this.#text(stack);
    const idText = reconcileID === undefined ? -1 : this.#write(reconcileID);
    const place = this.#begin(entryKinds.ended, moment);
    const cells = this.#cells;
    cells[place + 2] = run;
    cells[place + 3] = outcomeText;
    cells[place + 4] = milliseconds;
    cells[place + 5] = end.requeueAfter ?? NaN;
    cells[place + 6] = errorText;
    cells[place + 7] = stackText;
    cells[place + 8] = idText;
    this.#used = place + 9;
  }

  sampled(sample: SampleMessage): void {
    this.block({ channel: "tsbuilder:sample", ...sample });
    this.#parts.onSample(sample);
  }

  changed(kind: Kind, change: ObjectChange, bytes: number | undefined, manager: string | undefined): void {
    this.changes.add({ at: this.#parts.clock.now(), kind, change, manager }, bytes);
  }

  logged(line: string): void {
    this.block({ channel: "tsbuilder:log", text: line.slice(0, maxText) });
  }

  block(block: FlightBlock): void {
    const json = JSON.stringify(block);
    if (!this.#reserve(json.length)) return;
    const place = this.#begin(entryKinds.block, this.#parts.clock.monotonic());
    const start = (place + 3) * cellBytes;
    const bytes = this.#bytes.write(json, start);
    this.#cells[place + 2] = bytes;
    this.#end(start + bytes);
  }

  /** Begins an entry, for which there is room. Returns its place. */
  #begin(kind: number, moment: number): number {
    const place = this.#used;
    this.#cells[place] = kind;
    this.#cells[place + 1] = this.#epoch + moment;
    return place;
  }

  /** Ends an entry after its last byte. */
  #end(byte: number): void {
    this.#used = Math.ceil(byte / cellBytes);
  }

  /** Makes room for an entry with texts of so many characters. Returns false if they are larger than a segment. */
  #reserve(characters: number): boolean {
    // A character takes up to three bytes; each of four texts may be an entry of its own, with an incomplete cell.
    const cells = 5 * maxCells + ((characters * 3) >>> 3);
    if (this.#used + cells <= this.#cells.length) return true;
    // The header must fit, too.
    if (cells > this.#cells.length / 2) return false;
    this.#turn();
    return true;
  }

  #turn(): void {
    const { number } = this.#newer;
    const [older] = this.segments;
    const free = number > 0 ? (older!.cells.buffer as ArrayBuffer) : undefined;
    this.#older = this.#newer;
    this.#newer = new Segment(number + 1, free ?? new ArrayBuffer(this.#segmentBytes));
    this.#cells = this.#newer.cells;
    this.#bytes = this.#newer.bytes;
    this.#used = 0;
    this.#epoch = this.#readEpoch();
    this.#texts = new Map();
    this.#textCount = 0;
    this.block(this.#parts.header());
  }

  #readEpoch(): number {
    const { clock } = this.#parts;
    return clock.now() - clock.monotonic();
  }

  /** Returns the number of a text of which there are few; it is written if it isn't known. */
  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= maxTexts) this.#texts.clear();
    const id = this.#write(text);
    this.#texts.set(text, id);
    return id;
  }

  #write(text: string): number {
    const place = this.#used;
    const start = (place + 3) * cellBytes;
    const bytes = this.#bytes.write(text, start);
    this.#cells[place] = entryKinds.text;
    this.#cells[place + 1] = ++this.#textCount;
    this.#cells[place + 2] = bytes;
    this.#end(start + bytes);
    return this.#textCount;
  }

  /** What runs, and what ended last, the latest first. Makes few objects: memory may be short. */
  tail(count: number): { readonly running: readonly string[]; readonly ended: readonly string[] } {
    /** What each reconcile is about, if it began in the segment before. */
    let running = new Map<number, string>();
    let ended: string[] = [];
    for (const { cells, used } of this.segments) {
      const content = cells.subarray(0, used);
      const texts: number[] = [];
      const begun = new Map<number, number>();
      const lastEnds: { readonly place: number; readonly begun: number | undefined }[] = [];
      eachEntry(content, (kind, place) => {
        const run = content[place + 2]!;
        if (kind === entryKinds.text) texts[content[place + 1]!] = place;
        if (kind === entryKinds.began) begun.set(run, place);
        if (kind !== entryKinds.ended) return;
        lastEnds.push({ place, begun: begun.get(run) });
        if (lastEnds.length > count) lastEnds.shift();
        begun.delete(run);
      });
      const text = (place: number): string => {
        const found = texts[content[place]!];
        return found === undefined ? "" : textAt(content, found);
      };
      const subject = (place: number): string => `${text(place + 3)} ${textAt(content, place)}`;
      const described = lastEnds.map(({ place, begun: beginning }) => {
        const run = content[place + 2]!;
        const what = beginning === undefined ? (running.get(run) ?? "a reconcile") : subject(beginning);
        running.delete(run);
        const at = new Date(content[place + 1]!).toISOString();
        return [`${at} ${what}: ${text(place + 3)}`, text(place + 6)].filter(Boolean).join(": ");
      });
      ended = [...ended, ...described].slice(-count);
      running = new Map([...running, ...[...begun].map(([run, place]) => [run, subject(place)] as const)]);
    }
    return { running: [...running.values()].slice(0, count), ended: ended.toReversed() };
  }
}
