// Listing and watching one collection forever. The reflector reads; `watcher.ts` decides, as a pure step function, what
// to read next and how to recover from every failure.

import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, ListMeta } from "@tsbuilder/apimachinery/meta";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { show } from "../callbacks/callbacks.ts";
import { ApiError } from "../errors/api-error.ts";
import type { RawRequest, RawResponse } from "../http/transport.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { waitWithClock } from "../clock/waits.ts";
import { JsonLines } from "../http/json-body.ts";
import type { WatchFrame, WatcherCommand, WatcherContext, WatcherEvent, WatcherState } from "./watcher.ts";
import { asksForPatience, backOff, newWatcher, noFailures, stepWatcher } from "./watcher.ts";

/** Receives what a reflector reads. `bytes` is the length of an object's JSON. */
export interface ReflectorSink {
  /** A full list begins; `keep` adds or removes its objects, and `replace` ends it. */
  begin(): void;
  keep(object: KubernetesObject, bytes: number, isDeleted: boolean): void;
  replace(version: string | undefined): void;
  change(type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject, bytes: number): void;
  /** All changes up to this version have been delivered. */
  progress(version: string): void;
  /** An error occurred; the reflector continues by itself. */
  report(error: ApiError): void;
  /** Something came from the server. */
  alive(): void;
}

/** The collection that a reflector reads, and its settings. */
export interface ReflectorOptions {
  /** The path of the collection. */
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Selects a part of the objects by their hashes, on servers that know it. */
  readonly shardSelector?: string | undefined;
  /** Headers for the list and the watch, for views such as metadata only. */
  readonly listHeaders?: { readonly [name: string]: string } | undefined;
  readonly watchHeaders?: { readonly [name: string]: string } | undefined;
  readonly watchList: boolean;
  /** Begin with the newest version, not with any that the server has at hand. Default: false. */
  readonly newest?: boolean | undefined;
  readonly random?: (() => number) | undefined;
  readonly clock?: Clock | undefined;
  /** Shared with all other work of the manager. Default: its own. */
  readonly slices?: TimeSlices | undefined;
  /**
   * A watch without data for this many milliseconds is considered dead and resumed. Servers send a bookmark every
   * minute; a broken connection sends nothing, and TCP alone would not notice for fifteen minutes.
   */
  readonly silence?: number | undefined;
  /** A streamed list without data for this many milliseconds is replaced by a plain list. */
  readonly stall?: number | undefined;
}

/** After this many retries of a page, the list starts over. */
const maxPageRetries = 10;

/**
 * Executes the watcher's commands until the signal is aborted: lists and watches one collection and passes on what it
 * reads. It never gives up and never throws.
 */
export class Reflector {
  readonly #send: (request: RawRequest) => Promise<RawResponse>;
  readonly #options: ReflectorOptions;
  readonly #sink: ReflectorSink;
  readonly #clock: Clock;
  readonly #slices: TimeSlices;
  #state: WatcherState;
  /** Length of the current frame. */
  #bytes = 0;

  constructor(
    send: (request: RawRequest) => Promise<RawResponse>,
    options: ReflectorOptions,
    sink: ReflectorSink,
  ) {
    this.#send = send;
    this.#options = options;
    this.#sink = sink;
    this.#clock = options.clock ?? systemClock;
    this.#slices = options.slices ?? new TimeSlices(this.#clock);
    this.#state = newWatcher(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    let next = this.#step({ type: "start" });
    while (next && !signal.aborted) {
      try {
        next = await this.#perform(next, signal);
      } catch (error) {
        if (signal.aborted) return;
        next = this.#step({ type: "failed", error: asApiError(error) });
      }
    }
  }

  /** Steps the watcher, executes the immediate commands, and returns the one that takes time. */
  #step(event: WatcherEvent): WatcherCommand | undefined {
    const { state, commands } = stepWatcher(this.#state, event, this.#now());
    this.#state = state;
    let slowCommand: WatcherCommand | undefined;
    for (const command of commands) {
      if (command.type === "change") this.#sink.change(command.change, command.object, this.#bytes);
      else if (command.type === "keep") this.#sink.keep(command.object, this.#bytes, command.isDeleted);
      else if (command.type === "progress") this.#sink.progress(command.version);
      else if (command.type === "begin") this.#sink.begin();
      else if (command.type === "replace") this.#sink.replace(command.version);
      else if (command.type === "report") this.#sink.report(command.error);
      else slowCommand = command;
    }
    return slowCommand;
  }

  async #perform(command: WatcherCommand, signal: AbortSignal): Promise<WatcherCommand | undefined> {
    if (command.type === "list") return this.#list(command, signal);
    if (command.type === "watch") return this.#watch(command, signal);
    if (command.type === "wait") await waitWithClock(this.#clock, command.milliseconds, signal);
    return this.#step({ type: "waited" });
  }

  async #list(
    { resourceVersion, limit }: WatcherCommand & { type: "list" },
    signal: AbortSignal,
  ): Promise<WatcherCommand | undefined> {
    let token: string | undefined;
    let version: string | undefined;
    do {
      // A continue token includes its version; the server rejects requests with both.
      const start = token === undefined ? { resourceVersion } : { continue: token };
      const request: RawRequest = {
        path: this.#options.path,
        query: { ...this.#selectors(), limit, ...start },
        headers: this.#options.listHeaders ?? {},
        stream: true,
        signal,
      };
      const { stream } = await (token === undefined ? this.#request(request) : this.#nextPage(request));
      const items = new ListItems();
      await readChunks(
        stream,
        () => 65_000,
        { clock: this.#clock, slices: this.#slices },
        (chunk) => {
          this.#sink.alive();
          for (const item of items.push(chunk)) {
            this.#sink.keep(parseJSON(item) as KubernetesObject, item.length, false);
          }
          return undefined;
        },
      );
      const metadata = parseOrThrow(() => items.finish());
      version ??= metadata.resourceVersion;
      token = metadata.continue || undefined;
    } while (token !== undefined);
    return this.#step({ type: "listed", version });
  }

  async #watch(
    { resourceVersion, sendInitialEvents, timeoutSeconds }: WatcherCommand & { type: "watch" },
    signal: AbortSignal,
  ): Promise<WatcherCommand | undefined> {
    const { stream } = await this.#request({
      path: this.#options.path,
      query: {
        watch: true,
        ...this.#selectors(),
        resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds,
        ...(sendInitialEvents && { sendInitialEvents, resourceVersionMatch: "NotOlderThan" }),
      },
      headers: this.#options.watchHeaders ?? {},
      stream: true,
      signal,
    });
    this.#sink.alive();
    const lines = new JsonLines();
    const isStreaming = (): boolean => this.#state.phase.name === "streaming";
    const { silence = 75_000, stall = 10_000 } = this.#options;
    try {
      const next = await readChunks(
        stream,
        () => (isStreaming() ? stall : silence),
        { clock: this.#clock, slices: this.#slices },
        (chunk) => {
          this.#sink.alive();
          for (const line of lines.push(chunk)) {
            this.#bytes = line.length;
            const command = this.#step({ type: "frame", frame: checkFrame(parseJSON(line)) });
            if (command) return command;
          }
          return undefined;
        },
      );
      if (next) return next;
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ApiError && error.reason === "Malformed") throw error;
      if (error instanceof SilenceError && isStreaming()) return this.#step({ type: "stalled" });
    }
    return this.#step({ type: "closed" });
  }

  /**
   * Requests a page after the first one. If the server asks for patience or the connection breaks, only this page is
   * requested again: all pages of a long list would be more work for a server that has too much already.
   */
  async #nextPage(request: RawRequest): Promise<RawResponse> {
    for (let last = noFailures; ;) {
      try {
        return await this.#request(request);
      } catch (error) {
        if (!(error instanceof ApiError) || last.failures >= maxPageRetries) throw error;
        if (!error.isUnreachable && !asksForPatience(error)) throw error;
        this.#sink.report(error);
        const { backoff, milliseconds } = backOff(last, error, this.#now());
        last = backoff;
        await waitWithClock(this.#clock, milliseconds, request.signal);
      }
    }
  }

  /**
   * Sends a request once: the watcher reports a server that asks for patience, and waits itself. A failure before the
   * request, such as of a credential program, counts as an unreachable server.
   */
  async #request(request: RawRequest): Promise<RawResponse> {
    try {
      return await this.#send({ ...request, maxRetries: 0 });
    } catch (error) {
      if (error instanceof ApiError || request.signal?.aborted) throw error;
      const { message = String(error) } = error as { message?: string };
      throw new ApiError({ code: 0, reason: "Unreachable", message }, { cause: error });
    }
  }

  #now(): WatcherContext {
    return { now: this.#clock.monotonic(), random: (this.#options.random ?? Math.random)() };
  }

  #selectors(): Pick<ReflectorOptions, "labelSelector" | "fieldSelector" | "shardSelector"> {
    const { labelSelector, fieldSelector, shardSelector } = this.#options;
    return { labelSelector, fieldSelector, shardSelector };
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Extracts the items from the JSON of a list while it arrives. Parsing a long list at once would block the program for
 * a second, keep the text besides the objects, and fail if the text exceeds V8's maximum string length.
 */
export class ListItems {
  /** Everything except the items. */
  readonly #envelope: Buffer[] = [];
  #pieces: Buffer[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inItems = false;

  /** Adds a chunk and returns the JSON of the items that it completes. */
  push(chunk: Buffer): string[] {
    const items: string[] = [];
    // Where the current text starts in this chunk: an item's, or the envelope's.
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) this.#inString = false;
      } else if (byte === quote) {
        this.#inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#inItems && this.#depth === 3) {
          start = at;
        } else if (byte === openBracket && this.#depth === 2 && !this.#inItems) {
          this.#envelope.push(chunk.subarray(start, at + 1));
          start = at + 1;
          this.#inItems = /"items"\s*:\s*\[$/.test(this.#envelopeText);
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#inItems && this.#depth === 2) {
          items.push(this.#finish(chunk.subarray(start, at + 1)));
          start = at + 1;
        } else if (this.#inItems && this.#depth === 1) {
          this.#inItems = false;
          start = at;
        }
      }
    }
    this.#keep(chunk, start);
    return items;
  }

  /**
   * The list's own metadata, when everything has arrived. Throws a `SyntaxError` for a truncated list, and for
   * something else, such as a proxy's answer, which would look like an empty list.
   */
  finish(): ListMeta {
    const text = this.#envelopeText;
    const list = JSON.parse(text) as { kind?: unknown; metadata?: ListMeta } | null;
    if (!String(list?.kind).endsWith("List")) throw new SyntaxError(`it is not a list: ${text.slice(0, 80)}`);
    return list?.metadata ?? {};
  }

  get #envelopeText(): string {
    return Buffer.concat(this.#envelope).toString("utf8");
  }

  #keep(chunk: Buffer, start: number): void {
    if (!this.#inItems) this.#envelope.push(chunk.subarray(start));
    else if (this.#depth >= 3) this.#pieces.push(chunk.subarray(start));
  }

  #finish(last: Buffer): string {
    if (this.#pieces.length === 0) return last.toString("utf8");
    const item = Buffer.concat([...this.#pieces, last]).toString("utf8");
    this.#pieces = [];
    return item;
  }
}

/** The server sent nothing for too long. */
class SilenceError extends Error {}

/** Passes chunks to `take` until it returns something, the stream ends, or is silent for too long; then closes it. */
async function readChunks<R>(
  stream: RawResponse["stream"],
  silence: () => number,
  { clock, slices }: { readonly clock: Clock; readonly slices: TimeSlices },
  take: (chunk: Buffer) => R | undefined,
): Promise<R | undefined> {
  if (!stream) return undefined;
  let last = clock.monotonic();
  // One timer per stream instead of one per chunk.
  const check = (): void => {
    const timeLeft = last + silence() - clock.monotonic();
    if (timeLeft <= 0) stream.destroy(new SilenceError("no data for too long"));
    else cancel = clock.setTimer(check, timeLeft, "upkeep");
  };
  let cancel = clock.setTimer(check, silence(), "upkeep");
  try {
    for await (const chunk of stream) {
      last = clock.monotonic();
      const result = take(chunk as Buffer);
      if (result !== undefined) return result;
      // A fast server must not keep the event loop busy.
      const pause = slices.pause();
      if (pause) await pause;
    }
    return undefined;
  } finally {
    cancel();
    stream.destroy();
  }
}

const frameTypes: ReadonlySet<unknown> = new Set<WatchFrame["type"]>([
  "ADDED",
  "MODIFIED",
  "DELETED",
  "BOOKMARK",
  "ERROR",
]);

/**
 * Checks the type and the object of a frame: after an invalid one the state is unknown, so everything is listed again.
 */
function checkFrame(value: unknown): WatchFrame {
  const { type, object } = (value ?? {}) as { type?: unknown; object?: unknown };
  const isKnown =
    frameTypes.has(type) && isObject(object) && (type === "ERROR" || isObject(object["metadata"]));
  if (isKnown) return value as WatchFrame;
  const message = `the server sent a watch event of type ${show(type)} that can't be read`;
  throw new ApiError({ code: 0, reason: "Malformed", message });
}

function parseJSON(json: string): unknown {
  return parseOrThrow((): unknown => JSON.parse(json));
}

function parseOrThrow<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const message = `the server sent invalid JSON: ${(cause as Error).message}`;
    throw new ApiError({ code: 0, reason: "Malformed", message }, { cause });
  }
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  // The transport throws only ApiErrors; this one comes from a user's transform or index function.
  const { message = String(error) } = error as { message?: string };
  return new ApiError(
    { code: 0, reason: "Rejected", message: `an object could not be cached: ${message}` },
    { cause: error },
  );
}
