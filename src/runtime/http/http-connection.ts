import type net from "node:net";
import { Readable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { BrokenConnectionError, TimeoutError } from "./http-errors.ts";
import { type AnswerHead, AnswerParser, type AnswerSink } from "./answer-parser.ts";
import type { OpenWebSocket } from "./web-socket.ts";
import { TerminalError } from "../errors/api-error.ts";

/** A received answer. */
export interface Answer extends AnswerHead {
  /** The text of the body; empty if it is a stream. */
  readonly text: string;
  /** Its size in bytes. */
  readonly bytes: number | undefined;
  readonly stream: Readable | undefined;
  readonly webSocket?: OpenWebSocket | undefined;
}

/** Is notified of the state of a connection: its pool. */
export interface ConnectionOwner {
  /** The connection is free for a request. */
  onFree(connection: HttpConnection): void;
  /**
   * The connection has ended; called once. `isSuspect` is true if a request got no answer: a firewall or a load
   * balancer that broke this path has probably broken other connections of that age, too.
   */
  onGone(connection: HttpConnection, isSuspect: boolean): void;
}

/** A request that was sent, and what has arrived of its answer. */
interface Exchange {
  readonly wantsStream: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly chunks: Buffer[];
  head: AnswerHead | undefined;
  stream: BodyStream | undefined;
}

/**
 * A server closes a connection that is idle for long. Closing it first avoids a race with the next request. The server
 * counts in system time, so this limit does too, even if a test moves the clock.
 */
const maxIdle = 55_000;

/** If a request is aborted after this many milliseconds without an answer, its connection is no longer trusted. */
const suspectAfter = 1000;

/** Sends one request after another over a socket. Node's own client takes twice the processor time per request. */
export class HttpConnection implements AnswerSink {
  readonly #socket: net.Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #parser = new AnswerParser(this);
  #exchange: Exchange | undefined;
  #isGone = false;
  #idleLimit = maxIdle;
  #sentAt = 0;
  /** When data was last sent or received. */
  #lastDataAt = 0;
  #cancelTimeout = (): void => {};

  /** Takes over a connected socket. */
  constructor(socket: net.Socket, owner: ConnectionOwner, clock: Clock) {
    this.#socket = socket;
    this.#owner = owner;
    this.#clock = clock;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("timeout", () => this.#end());
    socket.on("error", (error) => this.#end(error));
    socket.on("end", () => this.#end());
    socket.on("close", () => this.#end());
  }

  /** True once the connection has ended, which may happen between being acquired and being used. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Sends a request and resolves with its answer: complete, or up to its body for a stream with a status below 300.
   * Rejects after `timeout` milliseconds without data; a stream may be silent for longer.
   */
  send(bytes: string | Buffer, { timeout, stream }: { timeout: number; stream: boolean }): Promise<Answer> {
    if (this.#isGone) return Promise.reject(new BrokenConnectionError());
    return new Promise((resolve, reject) => {
      this.#exchange = {
        wantsStream: stream,
        resolve,
        reject,
        chunks: [],
        head: undefined,
        stream: undefined,
      };
      this.#sentAt = this.#clock.monotonic();
      this.#parser.begin();
      this.#socket.ref();
      this.#socket.setTimeout(0);
      this.#socket.write(bytes, () => void (this.#lastDataAt = this.#clock.monotonic()));
      this.#lastDataAt = this.#sentAt;
      this.#expectWithin(timeout);
    });
  }

  /** Closes the connection, and aborts its request. */
  destroy(error = new Error("the connection was closed here")): void {
    this.#end(error, this.#clock.monotonic() - this.#sentAt < suspectAfter);
  }

  onHead(head: AnswerHead): void {
    const exchange = this.#exchange!;
    exchange.head = head;
    this.#idleLimit = idleLimit(head.headers["keep-alive"]);
    if (!exchange.wantsStream || head.status >= 300) return;
    this.#cancelTimeout();
    exchange.stream = new BodyStream(this.#socket, () => this.destroy());
    exchange.resolve({ ...head, text: "", bytes: undefined, stream: exchange.stream });
  }

  onBody(chunk: Buffer): void {
    if (!this.#exchange) return;
    const { stream, chunks } = this.#exchange;
    if (!stream) chunks.push(chunk);
    else if (!stream.push(chunk)) this.#socket.pause();
  }

  onEnd(canReuse: boolean): void {
    if (!this.#exchange) return;
    const { head, stream, chunks, resolve } = this.#exchange;
    this.#exchange = undefined;
    this.#cancelTimeout();
    if (stream) stream.finish();
    else {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      resolve({ ...head!, text: body.toString("utf8"), bytes: body.length, stream: undefined });
    }
    if (!canReuse) this.#end();
  }

  /** One timer for the whole answer: when it fires, it checks the time of the last data, and waits for the rest. */
  #expectWithin(timeout: number): void {
    const check = (): void => {
      const left = this.#lastDataAt + timeout - this.#clock.monotonic();
      if (left <= 0) this.#end(new TimeoutError(timeout));
      else this.#cancelTimeout = this.#clock.setTimer(check, left);
    };
    this.#cancelTimeout = this.#clock.setTimer(check, timeout);
  }

  #read(chunk: Buffer): void {
    this.#lastDataAt = this.#clock.monotonic();
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.#end(error as Error);
    }
    // Only after all received data was parsed: data after an answer must not be used as the next one.
    if (!this.#exchange && !this.#isGone) this.rest();
  }

  /** Makes the connection available for the next request. */
  rest(): void {
    this.#socket.resume();
    this.#socket.setTimeout(this.#idleLimit);
    // A program without other work may end.
    this.#socket.unref();
    this.#owner.onFree(this);
  }

  #end(error?: Error, isTrusted = false): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelTimeout();
    if (!error) this.#parser.close();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    this.#owner.onGone(this, exchange !== undefined && !exchange.head && !isTrusted);
    if (!exchange) return;
    const reason = error ?? new BrokenConnectionError();
    if (exchange.stream) exchange.stream.destroy(reason);
    else exchange.reject(reason);
  }
}

/** The body of an answer, read while it arrives. Unread data stays in the socket. */
class BodyStream extends Readable {
  readonly #socket: net.Socket;
  #abandon: (() => void) | undefined;

  constructor(socket: net.Socket, abandon: () => void) {
    super();
    this.#socket = socket;
    this.#abandon = abandon;
    // Without a listener, Node ends the process if the stream breaks before it is read. Readers still get the error.
    this.on("error", () => {});
  }

  /** The body is complete: the stream no longer owns the connection. */
  finish(): void {
    this.#abandon = undefined;
    this.push(null);
  }

  override _read(): void {
    if (this.#abandon) this.#socket.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const abandon = this.#abandon;
    this.#abandon = undefined;
    abandon?.();
    done(error);
  }
}

/** The idle limit by a `Keep-Alive` header: half a second less than the time after which the server closes. */
function idleLimit(keepAlive: string | undefined): number {
  if (keepAlive === undefined) return maxIdle;
  const [, seconds] = /timeout=(\d+)/.exec(keepAlive) ?? [];
  return seconds === undefined ? maxIdle : Math.min(maxIdle, Math.max(100, Number(seconds) * 1000 - 500));
}

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  readonly host: string;
  /** Including the query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body: string | undefined;
}

/** Serializes a request for HTTP/1.1. Throws a `TerminalError` for anything that would inject a second request. */
export function requestBytes({ method, host, path, headers, body }: WireRequest): string | Buffer {
  if (/[^\x21-\x7e]/.test(path))
    throw new TerminalError(`"${path}" is not a valid URL path: percent-encode it`);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "string") head += headerLine(name, value);
    else for (const item of value) head += headerLine(name, item);
  }
  if (body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  else head += method === "GET" || method === "DELETE" ? "\r\n" : "content-length: 0\r\n\r\n";
  // One write makes one packet and one TLS record. Headers are Latin-1, bodies UTF-8: the same for ASCII.
  if (isAscii(head)) return body === undefined ? head : head + body;
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body ?? "")]);
}

/** Texts that match a pattern. A client sends few headers again and again, so each is checked once. */
class CheckedTexts {
  readonly #pattern: RegExp;
  readonly #known = new Set<string>();

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  accepts(text: string): boolean {
    if (this.#known.has(text)) return true;
    if (!this.#pattern.test(text)) return false;
    // Tokens are replaced every hour or so.
    if (this.#known.size >= 100) this.#known.clear();
    this.#known.add(text);
    return true;
  }
}

const validNames = new CheckedTexts(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
const validValues = new CheckedTexts(/^[\t\x20-\x7e\x80-\xff]*$/);

function headerLine(name: string, value: string): string {
  if (!validNames.accepts(name)) throw new TerminalError(`"${name}" is not a valid header name`);
  if (!validValues.accepts(value))
    throw new TerminalError(`the header "${name}" has a character that is invalid in headers`);
  return `${name}: ${value}\r\n`;
}

function isAscii(text: string): boolean {
  return !/[\x80-\xff]/.test(text);
}
