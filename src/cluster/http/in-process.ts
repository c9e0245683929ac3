import { EventEmitter } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { tooLarge } from "../contract/status-error.ts";
import { bodyLimit } from "./read-body.ts";
import type { ReceivedRequest } from "./request-context.ts";

/** A request that reaches the server by a call. */
export interface PlainRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body?: string | undefined;
}

/** The response to it, once its head is known. */
export interface PlainResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** The whole body; empty if there is a stream. */
  readonly body: Buffer;
  /** The body of a watch, as it is written. Destroying it disconnects the client. */
  readonly stream?: Readable | undefined;
}

/** Nobody connects it. */
const noSocket = new Socket();

/** The request as a socket would have brought it. */
export function receivedOf({ method, path, headers, body = "" }: PlainRequest): ReceivedRequest {
  const read: { [name: string]: string } = {};
  const rawHeaders: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const values = typeof value === "string" ? [value] : value;
    read[name] = values.join(", ");
    for (const each of values) rawHeaders.push(name, each);
  }
  return {
    method,
    url: path,
    headers: read,
    rawHeaders,
    socket: noSocket,
    errored: null,
    async readBody() {
      const bytes = Buffer.from(body);
      if (bytes.length > bodyLimit) throw tooLarge(bodyLimit);
      return bytes;
    },
  };
}

/** The head of a response as its client reads it. */
export function plainHeaders(headers: { readonly [name: string]: unknown }): PlainResponse["headers"] {
  const read: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(headers))
    read[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : String(value);
  return read;
}

/** Whoever called: gone once it destroyed the stream of its response. */
export class Caller extends EventEmitter {
  destroyed = false;

  leave(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }
}

/** The response of a watch: its body is read by whoever called, not by a socket. */
export class CapturedResponse extends ServerResponse {
  readonly body = new Readable({ read: () => {} });
  readonly #caller: Caller;

  constructor(caller: Caller) {
    super(new IncomingMessage(noSocket));
    this.#caller = caller;
    this.body.on("close", () => this.destroy());
  }

  /** The caller has the head already. */
  override flushHeaders(): void {}

  /** Nothing has to wait until the caller has read: both share their memory. */
  override write(chunk: Buffer | string): boolean {
    this.body.push(chunk);
    return true;
  }

  override end(chunk?: unknown): this {
    this.finished = true;
    if (typeof chunk === "string" || Buffer.isBuffer(chunk)) this.body.push(chunk);
    this.body.push(null);
    return this;
  }

  override destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.body.destroy(error);
    this.#caller.leave();
    return this;
  }
}
