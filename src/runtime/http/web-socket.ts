import { type EventEmitter, once } from "node:events";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { BrokenConnectionError, errorFromSocket } from "./http-errors.ts";
import type { WebSocketConnection } from "./transport.ts";

/** Milliseconds between pings: proxies and load balancers close connections that are silent for long. */
const pingPeriod = 30_000;

/** The code of RFC 6455 for a connection that ended without a closing frame. */
const abnormalClosure = 1006;

/** The members of a WebSocket of `ws` that are used. The types of `ws` are not installed with the runtime. */
interface Socket extends EventEmitter {
  readonly protocol: string;
  readonly readyState: number;
  readonly CLOSED: number;
  ping(): void;
  pause(): void;
  resume(): void;
  send(message: Uint8Array, done: (error?: Error) => void): void;
  close(code: number): void;
  terminate(): void;
}

/** An open WebSocket. Its messages wait in the socket until they are read, which slows the sender down. */
export class OpenWebSocket implements WebSocketConnection {
  readonly protocol: string;
  readonly #socket: Socket;
  readonly #unread: Buffer[] = [];
  #wake = (): void => {};
  /** How the connection ended; undefined while it is open. */
  #end: { readonly error: Error | undefined } | undefined;

  constructor(socket: Socket, { clock, label }: { readonly clock: Clock; readonly label: string }) {
    this.protocol = socket.protocol;
    this.#socket = socket;
    let cancelPing = (): void => {};
    const pingLater = (): void => {
      cancelPing = clock.setTimer(() => {
        socket.ping();
        pingLater();
      }, pingPeriod);
    };
    pingLater();
    socket.on("message", (message: Buffer) => {
      this.#unread.push(message);
      socket.pause();
      this.#wake();
    });
    const fail = (cause: Error) => this.#finish(errorFromSocket(cause, label));
    socket.on("error", fail);
    socket.on("close", (code: number) => {
      cancelPing();
      if (code === abnormalClosure) fail(new BrokenConnectionError());
      else this.#finish(undefined);
    });
  }

  /** Resolves when the connection has ended. */
  async closed(): Promise<void> {
    if (this.#socket.readyState !== this.#socket.CLOSED) await once(this.#socket, "close");
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    for (;;) {
      const message = this.#unread.shift();
      if (message) yield message;
      else if (this.#end?.error) throw this.#end.error;
      else if (this.#end) return;
      else {
        const woken = new Promise<void>((resolve) => (this.#wake = resolve));
        this.#socket.resume();
        await woken;
      }
    }
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(message, (error) => (error ? reject(this.#end?.error ?? error) : resolve()));
    });
  }

  close(): void {
    this.#socket.close(1000);
    // A paused socket would not hear the server's confirmation.
    this.#socket.resume();
  }

  destroy(error = new Error("the connection was closed here")): void {
    this.#unread.length = 0;
    this.#finish(error);
    this.#socket.terminate();
  }

  #finish(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake();
  }
}
