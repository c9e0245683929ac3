import type net from "node:net";
import { Readable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { BrokenConnectionError, TimeoutError } from "./connection-errors.ts";
import { type AnswerHead, AnswerParser, type AnswerSink } from "./answer-parser.ts";

/** An answer as it came. */
export interface Answer extends AnswerHead {
  /** The body's text; empty if it is left to the stream. */
  readonly text: string;
  /** How many bytes it came in. */
  readonly bytes: number | undefined;
  readonly stream: Readable | undefined;
}

/** What a connection tells its pool. */
export interface ConnectionOwner {
  /** It can carry a request. */
  onFree(connection: HttpConnection): void;
  /**
   * It has ended; called once. `isSuspect` if a request got no answer: whatever broke the path, a firewall or a load
   * balancer, other connections that are as old are likely to be dead too.
   */
  onGone(connection: HttpConnection, isSuspect: boolean): void;
}

interface Exchange {
  readonly wantsStream: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly chunks: Buffer[];
  head: AnswerHead | undefined;
  stream: BodyStream | undefined;
}

/**
 * A server closes a connection that idles for long; doing it first keeps a request from meeting that moment. The server
 * counts in the machine's time, so this does, too, whatever clock a test moves.
 */
const longestIdle = 55_000;

/** Who gives up a request after so many milliseconds without an answer doesn't trust the connection any more. */
const suspicious = 1000;

/**
 * Carries one request after another over a socket. Node's own client does far more than an API server needs, at twice the
 * processor time for each request.
 */
export class HttpConnection implements AnswerSink {
  readonly #socket: net.Socket;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  readonly #parser = new AnswerParser(this);
  #exchange: Exchange | undefined;
  #isGone = false;
  #idleLimit = longestIdle;
  #sentAt = 0;
  /** When something was last sent or received. */
  #movedAt = 0;
  #cancelTimeout = (): void => {};

  /** Takes over a socket that is connected. */
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

  /** Whether it has ended: it may do so between being handed out and being used. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /**
   * Sends a request and resolves with its answer: complete, or up to its body if that is to be a stream and says no
   * failure. Rejects when nothing moved for `timeout` milliseconds; a stream may be silent for longer.
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
      this.#socket.write(bytes, () => void (this.#movedAt = this.#clock.monotonic()));
      this.#movedAt = this.#sentAt;
      this.#expectWithin(timeout);
    });
  }

  /** Ends the connection, and with it the request that is under way. */
  destroy(error = new Error("the connection was closed here")): void {
    this.#end(error, this.#clock.monotonic() - this.#sentAt < suspicious);
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

  /** One timer for the whole answer: it looks when something moved last, and waits for the rest. */
  #expectWithin(timeout: number): void {
    const check = (): void => {
      const left = this.#movedAt + timeout - this.#clock.monotonic();
      if (left <= 0) this.#end(new TimeoutError(timeout));
      else this.#cancelTimeout = this.#clock.setTimer(check, left);
    };
    this.#cancelTimeout = this.#clock.setTimer(check, timeout);
  }

  #read(chunk: Buffer): void {
    this.#movedAt = this.#clock.monotonic();
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.#end(error as Error);
    }
    // Not before all that came was read: what follows an answer must never pass for the next one.
    if (!this.#exchange && !this.#isGone) this.rest();
  }

  /** Waits for the next request. */
  rest(): void {
    this.#socket.resume();
    this.#socket.setTimeout(this.#idleLimit);
    // A program that has nothing else to do may end.
    this.#socket.unref();
    this.#owner.onFree(this);
  }

  #end(error?: Error, isHarmless = false): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#cancelTimeout();
    if (!error) this.#parser.close();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    this.#owner.onGone(this, exchange !== undefined && !exchange.head && !isHarmless);
    if (!exchange) return;
    const reason = error ?? new BrokenConnectionError();
    if (exchange.stream) exchange.stream.destroy(reason);
    else exchange.reject(reason);
  }
}

/** The body of an answer that is read while it comes. What is not read is not taken off the socket. */
class BodyStream extends Readable {
  readonly #socket: net.Socket;
  #abandon: (() => void) | undefined;

  constructor(socket: net.Socket, abandon: () => void) {
    super();
    this.#socket = socket;
    this.#abandon = abandon;
  }

  /** The body is complete: the connection is no longer this stream's. */
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

/** Some servers say after how many seconds they close; half a second before that is soon enough. */
function idleLimit(keepAlive: string | undefined): number {
  if (keepAlive === undefined) return longestIdle;
  const [, seconds] = /timeout=(\d+)/.exec(keepAlive) ?? [];
  return seconds === undefined
    ? longestIdle
    : Math.min(longestIdle, Math.max(100, Number(seconds) * 1000 - 500));
}
