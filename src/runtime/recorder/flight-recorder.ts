// The flight recorder: keeps what the runtime publishes on its channels, and the lines of its log, for the last minutes, in
// memory that is bounded by bytes. Messages are kept as lines of text outside of V8's heap: objects that live for minutes would cost
// the garbage collector a quarter of the operator's processor time.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/api-error.ts";
import { logChannel, type Logger } from "../log/logger.ts";
import type { Listener, Service } from "../serve/http-listener.ts";
import { HttpError, listenHttp, parseBindAddress } from "../serve/http-listener.ts";
import type { ChannelMessages } from "../tracing/channels.ts";

/** Where the record of a manager is served, and how large it gets. */
export interface RecorderOptions {
  /**
   * The address at which the record is served, such as `127.0.0.1:8082`; `0` for no recorder. Default: `0`. Everybody who
   * reaches it may read the record, so it should be on the loopback interface: who may forward ports of the pod reads it.
   */
  readonly bindAddress?: string | undefined;
  /** The bytes of memory that the record may take. Default: 8 MiB. */
  readonly maxBytes?: number | undefined;
}

/** The bytes that a record takes by default. */
const defaultBytes = 8 * 2 ** 20;

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

/** The version of the format in which a record is served. */
const format = 1;

/** The runtime's channels, whose messages are recorded. */
const channels = Object.keys({
  "tsbuilder:enqueue": true,
  "tsbuilder:reconcile:start": true,
  "tsbuilder:reconcile:end": true,
  "tsbuilder:request": true,
  "tsbuilder:sample": true,
} satisfies Record<keyof ChannelMessages, true>) as (keyof ChannelMessages)[];

type Message = ChannelMessages[keyof ChannelMessages];

/** How many bytes of the end of a record Kubernetes keeps of a container that ended. */
const terminationBytes = 4096;

/** The share of a limit of memory from which on the process may be killed for it. */
const nearLimit = 0.92;

/** The milliseconds between two last words because of memory. */
const memoryPeriod = 30_000;

/** Records the runtime's messages, and serves the record. Records nothing unless an address is set. */
export class FlightRecorder implements Service {
  readonly #parts: RecorderParts;
  readonly #maxBytes: number;
  /** The reconciles that run, in the order of their beginnings. */
  readonly #running = new Map<string, ChannelMessages["tsbuilder:reconcile:start"]>();
  /** Undefined until the start. */
  #lines: LineMemory | undefined;
  #listener: Listener | undefined;
  /** True from the start on, also once it has stopped: a manager fails when everything has stopped. */
  #isOn = false;
  #lastWordsAt = -Infinity;
  readonly #receivers = channels.map((channel) => ({
    channel,
    receive: (message: unknown) => this.#receive(channel, message as Message),
  }));

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#maxBytes = parts.options.maxBytes ?? defaultBytes;
    if (!(this.#maxBytes > 0))
      throw new TerminalError(`maxBytes of the recorder is ${this.#maxBytes}: more than 0`);
  }

  /** The address that the record is served at; undefined while it is not. */
  get address(): string | undefined {
    return this.#listener?.address;
  }

  async start(): Promise<void> {
    const address = parseBindAddress(this.#parts.options.bindAddress ?? "0");
    if (!address) return;
    this.#isOn = true;
    this.#lines = new LineMemory(this.#maxBytes);
    for (const { channel, receive } of this.#receivers) subscribe(channel, receive);
    subscribe(logChannel, this.#receiveLine);
    this.#listener = await listenHttp(address, (request, response) => {
      if (request.method !== "GET" || request.url !== "/record")
        throw new HttpError(404, "the record is at /record");
      return this.#serve(response);
    });
    this.#parts.log.info("Serving the record", { address: this.#listener.address });
  }

  async stop(deadline: AbortSignal): Promise<void> {
    for (const { channel, receive } of this.#receivers) unsubscribe(channel, receive);
    unsubscribe(logChannel, this.#receiveLine);
    await this.#listener?.close(deadline);
    this.#listener = undefined;
  }

  /** Writes what happened last to where Kubernetes reads it once the container has ended. Is called when that may be soon. */
  writeLastWords(why: string): void {
    const { terminationLog = "/dev/termination-log" } = this.#parts;
    // Outside of a container there is no such file.
    if (!this.#isOn || !existsSync(terminationLog)) return;
    try {
      writeFileSync(terminationLog, this.#lastWords(why));
    } catch (error) {
      this.#parts.log.warn("The last words can't be written", { error });
    }
  }

  readonly #receiveLine = (line: unknown): void =>
    this.#lines?.add(`${this.#begin(logChannel)},"text":${JSON.stringify(line)}}`);

  #receive(channel: keyof ChannelMessages, message: Message): void {
    this.#lines?.add(`${this.#begin(channel)}${this.#textOf(message)}}`);
    if ("heap" in message) this.#watchMemory(message);
  }

  #begin(channel: string): string {
    return `{"channel":"${channel}","at":${this.#parts.clock.now()}`;
  }

  /** Returns the fields of a message as JSON. Those that each reconcile has are written one by one, which takes a third of the time. */
  #textOf(message: Message): string {
    // The body of a failed request may have values of a Secret.
    if ("method" in message)
      return `,"reconcileID":${text(message.reconcileID)},"method":"${message.method}","path":${text(message.path)},"code":"${message.code}","seconds":${message.seconds}`;
    if ("heap" in message) return `,${JSON.stringify(message).slice(1, -1)}`;
    const subject = `,"controller":${text(message.controller)},"request":${text(message.request)}`;
    if ("cause" in message)
      return `${subject},"cause":${text(message.cause)}${message.after === undefined ? "" : `,"after":${message.after}`}`;
    const { reconcileID } = message;
    if (!("outcome" in message)) {
      this.#running.set(reconcileID, message);
      return `${subject},"reconcileID":${text(reconcileID)}`;
    }
    this.#running.delete(reconcileID);
    const { outcome, requeueAfter, error, stack, seconds } = message;
    const after = requeueAfter === undefined ? "" : `,"requeueAfter":${requeueAfter}`;
    const failure = error === undefined ? "" : `,"error":${text(error)},"stack":${text(stack)}`;
    return `${subject},"reconcileID":${text(reconcileID)},"outcome":"${outcome}","seconds":${seconds}${after}${failure}`;
  }

  #watchMemory({ heap, resident }: ChannelMessages["tsbuilder:sample"]): void {
    const { memory, clock } = this.#parts;
    const share = Math.max(
      heap / memory.heap,
      memory.container === undefined ? 0 : resident / memory.container,
    );
    if (share < nearLimit || clock.monotonic() - this.#lastWordsAt < memoryPeriod) return;
    this.#lastWordsAt = clock.monotonic();
    this.writeLastWords(`the memory is at ${Math.round(share * 100)} % of its limit`);
  }

  /** Writes the record as lines of JSON: first what it is, then its messages, the oldest first. */
  #serve(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/x-ndjson", "x-content-type-options": "nosniff" });
    response.write(`${JSON.stringify(this.#header())}\n`);
    response.end(this.#lines?.copy());
  }

  #header(): object {
    const { name, clock } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    return { type: "flight", format, at, name, pod: hostname(), dropped: this.#lines?.dropped ?? 0 };
  }

  /** What runs, and what ended last, the latest first. */
  #lastWords(why: string): string {
    const running = [...this.#running.values()].map(
      ({ controller, request }) => `running: ${controller} ${request}`,
    );
    const last = this.#lines?.copy().subarray(-tailBytes).toString().split("\n") ?? [];
    const ended = last
      .filter((line) => line.startsWith('{"channel":"tsbuilder:reconcile:end"') && line.endsWith("}"))
      .map((line) => JSON.parse(line) as ChannelMessages["tsbuilder:reconcile:end"] & { readonly at: number })
      .toReversed()
      .map(({ at, controller, request, outcome, error }) =>
        [`${new Date(at).toISOString()} ${controller} ${request}: ${outcome}`, error]
          .filter(Boolean)
          .join(": "),
      );
    const now = new Date(this.#parts.clock.now()).toISOString();
    const words = [`${now} ${why}`, ...running.slice(0, 20), ...ended].join("\n");
    return Buffer.from(words).subarray(0, terminationBytes).toString();
  }
}

/** The bytes of the end of a record in which last words are looked for. */
const tailBytes = 65_536;

/** Returns a text as JSON; undefined is none. */
function text(value: string | undefined): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

/** The last lines of text, in two halves of a fixed size: the older one is dropped when the newer one is full. */
class LineMemory {
  readonly #half: number;
  #older: Buffer = Buffer.alloc(0);
  #newer: Buffer;
  #used = 0;
  #olderLines = 0;
  #newerLines = 0;
  /** The number of lines that were dropped. */
  dropped = 0;

  constructor(bytes: number) {
    this.#half = Math.floor(bytes / 2);
    this.#newer = Buffer.allocUnsafeSlow(this.#half);
  }

  add(line: string): void {
    // A character takes up to three bytes.
    if (line.length * 3 + 1 > this.#half - this.#used) {
      if (Buffer.byteLength(line) + 1 > this.#half) return void this.dropped++;
      if (Buffer.byteLength(line) + 1 > this.#half - this.#used) this.#turn();
    }
    this.#used += this.#newer.write(line, this.#used);
    this.#newer[this.#used++] = 0x0a;
    this.#newerLines++;
  }

  #turn(): void {
    this.dropped += this.#olderLines;
    const free = this.#older.buffer.byteLength === this.#half ? Buffer.from(this.#older.buffer) : undefined;
    this.#older = this.#newer.subarray(0, this.#used);
    this.#olderLines = this.#newerLines;
    this.#newer = free ?? Buffer.allocUnsafeSlow(this.#half);
    this.#used = 0;
    this.#newerLines = 0;
  }

  /** Returns all lines, the oldest first, each with a line feed. */
  copy(): Buffer {
    return Buffer.concat([this.#older, this.#newer.subarray(0, this.#used)]);
  }
}
