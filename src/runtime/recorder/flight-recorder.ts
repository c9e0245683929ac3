// The flight recorder: keeps what the runtime does, the lines of its log, and how cached objects change, for the last minutes and in
// memory that is bounded by bytes. It serves the record, and saves it in a folder that outlives the container.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/api-error.ts";
import { logChannel, type Logger } from "../log/logger.ts";
import type { Listener, Service } from "../serve/http-listener.ts";
import { HttpError, listenHttp, parseBindAddress } from "../serve/http-listener.ts";
import { addReceiver, type SampleMessage } from "../tracing/channels.ts";
import { FlightFiles } from "./flight-files.ts";
import { blockEntry, emptyPart, type FlightHeader, flightFormat, frame } from "./flight-format.ts";
import { FlightMemory } from "./flight-memory.ts";
import type { TimedChange } from "./object-changes.ts";

/** Where the record of a manager is served and saved, and how large it gets. */
export interface RecorderOptions {
  /**
   * The address at which the record is served, such as `127.0.0.1:8082`; `0` for no recorder. Default: `0`. Everybody who
   * reaches it may read the record, so it should be on the loopback interface: who may forward ports of the pod reads it.
   */
  readonly bindAddress?: string | undefined;
  /** The bytes of memory that the record may take. Default: 8 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * A folder that outlives the container, such as one of an emptyDir. What happened up to half a second before the process was
   * killed is there, and the next process of the pod serves it with its own record. It gets as large as `maxBytes`, twice.
   * Default: none.
   */
  readonly folder?: string | undefined;
}

/** The bytes that a record takes by default. */
const defaultBytes = 8 * 2 ** 20;

/** What each of two segments, and all objects, may take of the bytes of a record. The texts on V8's heap take the rest. */
const segmentShare = 0.25;
const objectShare = 0.375;

interface RecorderParts {
  readonly name: string;
  readonly options: RecorderOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** The limits of memory whose approach is written down, in bytes. */
  readonly memory: { readonly heap: number; readonly container: number | undefined };
  /** Default: where Kubernetes reads a container's last words. */
  readonly terminationLog?: string | undefined;
}

/** How many bytes of the end of a record Kubernetes keeps of a container that ended. */
const terminationBytes = 4096;

/** The share of a limit of memory from which on the process may be killed for it. */
const nearLimit = 0.92;

/** The milliseconds between two dumps because of memory. */
const memoryPeriod = 30_000;

/** The milliseconds after which what is new is saved, and sent to those who follow. */
const savePeriod = 500;

/** How many changes of objects are saved in that time at most, which bounds the processor time; the newest. */
const savedChanges = 20;

/** The bytes that may wait for a follower. One that is slower is left behind. */
const followerBytes = 32 * 2 ** 20;

/** A reader of the record, and what it has got. */
interface Follower {
  readonly response: ServerResponse;
  segment: number;
  bytes: number;
  changes: number;
  /** The states of objects that it has got. */
  readonly told: WeakSet<object>;
}

/** Records what the runtime does, and serves the record. Records nothing unless an address is set. */
export class FlightRecorder implements Service {
  readonly #parts: RecorderParts;
  readonly #maxBytes: number;
  readonly #since: number;
  readonly #followers = new Set<Follower>();
  /** Undefined until the start; also there once it has stopped: a manager fails when everything has stopped. */
  #memory: FlightMemory | undefined;
  #files: FlightFiles | undefined;
  #listener: Listener | undefined;
  #removeReceiver: (() => void) | undefined;
  #cancelSave: (() => void) | undefined;
  #lastDumpAt = -Infinity;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#maxBytes = parts.options.maxBytes ?? defaultBytes;
    if (!(this.#maxBytes >= leastBytes))
      throw new TerminalError(`maxBytes of the recorder is ${this.#maxBytes}: at least ${leastBytes}`);
  }

  /** The address that the record is served at; undefined while it is not. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  async start(): Promise<void> {
    const { options, clock, log } = this.#parts;
    const address = parseBindAddress(options.bindAddress ?? "0");
    if (!address) return;
    this.#memory = new FlightMemory({
      segmentBytes: this.#maxBytes * segmentShare,
      objectBytes: this.#maxBytes * objectShare,
      clock,
      header: () => this.#header(),
      onSample: (sample) => this.#watchMemory(sample),
    });
    if (options.folder !== undefined) this.#openFolder(options.folder);
    this.#removeReceiver = addReceiver(this.#memory);
    subscribe(logChannel, this.#logged);
    this.#listener = await listenHttp(address, ({ method, url }, response) => {
      if (method !== "GET" || (url !== "/record" && url !== "/record?follow"))
        throw new HttpError(404, "the record is at /record");
      return this.#serve(response, url === "/record?follow");
    });
    this.#scheduleSave();
    log.info("Serving the record", { address: this.#listener.address, folder: options.folder });
  }

  async stop(deadline: AbortSignal): Promise<void> {
    if (!this.#memory) return;
    this.#cancelSave?.();
    this.#removeReceiver?.();
    unsubscribe(logChannel, this.#logged);
    this.#sendNews();
    for (const { response } of this.#followers) response.end();
    await this.#listener?.close(deadline);
    this.#listener = undefined;
    this.#save(Infinity);
    this.#files?.close();
  }

  readonly #logged = (line: unknown): void => this.#memory!.logged(String(line));

  /**
   * Saves all that is known, and writes the last words to where Kubernetes reads them once the container has ended. Is called when
   * that may be soon.
   */
  dump(why: string): void {
    const { terminationLog = "/dev/termination-log" } = this.#parts;
    if (!this.#memory) return;
    this.#save(Infinity);
    // Outside of a container there is no such file.
    if (!existsSync(terminationLog)) return;
    this.#attempt("The last words can't be written", () =>
      writeFileSync(terminationLog, this.#lastWords(this.#memory!, why)),
    );
  }

  #openFolder(folder: string): void {
    this.#attempt("The record can't be saved", () => {
      this.#files = new FlightFiles(folder, this.#since, 2 * this.#maxBytes);
    });
  }

  #scheduleSave(): void {
    this.#cancelSave = this.#parts.clock.setTimer(() => {
      this.#sendNews();
      this.#save(savedChanges);
      this.#scheduleSave();
    }, savePeriod);
  }

  /** Saves what is new, of changes of objects only so many. Gives up when that fails. */
  #save(changes: number): void {
    const files = this.#files;
    if (!files) return;
    const { clock, log } = this.#parts;
    try {
      files.saveSegments(this.#memory!.segments);
      const header = (): Uint8Array => blockEntry(clock.now(), this.#header());
      files.saveObjects(header, entriesOf(this.#memory!.changes.save(changes)));
    } catch (error) {
      this.#files = undefined;
      log.warn("The record can't be saved any more", { error });
    }
  }

  #attempt(failure: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#parts.log.warn(failure, { error });
    }
  }

  #watchMemory({ heap, resident }: SampleMessage): void {
    const { memory, clock } = this.#parts;
    const share = Math.max(
      heap / memory.heap,
      memory.container === undefined ? 0 : resident / memory.container,
    );
    if (share < nearLimit || clock.monotonic() - this.#lastDumpAt < memoryPeriod) return;
    this.#lastDumpAt = clock.monotonic();
    this.dump(`the memory is at ${Math.round(share * 100)} % of its limit`);
  }

  /** Sends the record, the oldest part first; to a follower also what is new, as it comes. */
  async #serve(response: ServerResponse, isFollower: boolean): Promise<void> {
    const [oldest] = this.#memory!.segments;
    const closing = new AbortController();
    const { signal } = closing;
    response.once("close", () => closing.abort());
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      // Readers compare their clock with this one.
      "x-time": String(this.#parts.clock.now()),
    });
    for (const part of this.#files?.before(oldest!.number) ?? []) {
      send(response, part);
      // A file may be large.
      if (response.writableNeedDrain) await once(response, "drain", { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
    const follower = { response, segment: oldest!.number, bytes: 0, changes: 0, told: new WeakSet<object>() };
    this.#sendNewsTo(follower);
    if (!isFollower) {
      response.end();
      return;
    }
    this.#followers.add(follower);
    response.once("close", () => this.#followers.delete(follower));
  }

  #sendNews(): void {
    for (const follower of this.#followers) {
      if (follower.response.writableLength > followerBytes) follower.response.destroy();
      else this.#sendNewsTo(follower);
    }
  }

  #sendNewsTo(follower: Follower): void {
    for (const { number, content } of this.#memory!.segments) {
      if (number < follower.segment) continue;
      const sent = number === follower.segment ? follower.bytes : 0;
      // A copy: the segment may be used for another before the bytes are sent.
      if (sent < content.length) send(follower.response, Buffer.from(content.subarray(sent)));
      follower.segment = number;
      follower.bytes = content.length;
    }
    const { changes } = this.#memory!;
    for (const entry of entriesOf(changes.read(follower.changes, follower.told)))
      send(follower.response, entry);
    follower.changes = changes.count;
    send(follower.response, emptyPart);
  }

  #header(): FlightHeader {
    const { name } = this.#parts;
    return { channel: "tsbuilder:flight", format: flightFormat, name, pod: hostname(), since: this.#since };
  }

  #lastWords(memory: FlightMemory, why: string): string {
    const { running, ended } = memory.tail(lastReconciles);
    const now = new Date(this.#parts.clock.now()).toISOString();
    const saved = this.#files ? [`the record is in ${this.#parts.options.folder}`] : [];
    const words = [`${now} ${why}`, ...saved, ...running.map((what) => `running: ${what}`), ...ended];
    return Buffer.from(words.join("\n")).subarray(0, terminationBytes).toString();
  }
}

/** The least bytes of a record: a line of the log must fit. */
const leastBytes = 2 ** 20;

/** How many reconciles last words name, of those that run and of those that ended. */
const lastReconciles = 20;

function* entriesOf(changes: Iterable<TimedChange>): Generator<Uint8Array> {
  for (const { at, ...change } of changes) yield blockEntry(at, change);
}

function send(response: ServerResponse, part: Uint8Array): void {
  for (const piece of frame(part)) response.write(piece);
}
