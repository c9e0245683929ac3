import type { Duplex } from "node:stream";
import { Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { Reply, RequestContext } from "./request-context.ts";

/** Returns true if a request asks for a WebSocket. */
export function asksForWebSocket({ request: { headers } }: RequestContext): boolean {
  return /^websocket$/iu.test(headers.upgrade ?? "") && /\bupgrade\b/iu.test(headers.connection ?? "");
}

/** Returns the subprotocols that a request names, in its order. */
export function subprotocolsOf({ request }: RequestContext): string[] {
  const names = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** A part of a stream as messages: strings become texts. */
type Split = (part: Buffer) => Iterable<Buffer | string>;

/** Returns the reply that opens a WebSocket, as kube-apiserver does, and passes what is written to it to `send`. */
export async function webSocketReply(
  { request }: RequestContext,
  { subprotocol, split }: { readonly subprotocol: string | undefined; readonly split: Split },
  send: (messages: Writable) => void,
): Promise<Reply> {
  const { WebSocketServer } = await import("ws");
  // Clients have nothing to say, so that the least of a message is enough.
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: 1024,
    handleProtocols: () => subprotocol ?? false,
  });
  const takeOver = (socket: Duplex, head: Buffer): void =>
    server.handleUpgrade(request.incoming!, socket, head, (opened) => send(new Messages(opened, split)));
  return { code: 101, takeOver };
}

/** Sends what is written to it as messages. It ends with the client, and the client with it, as after all that was asked for. */
class Messages extends Writable {
  readonly #socket: WebSocket;
  readonly #split: Split;

  constructor(socket: WebSocket, split: Split) {
    super();
    this.#socket = socket;
    this.#split = split;
    // A client that is gone, or that breaks the protocol, has closed the socket.
    this.on("error", () => undefined);
    socket.on("error", () => undefined);
    socket.once("close", () => this.destroy());
  }

  override _write(part: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    const messages = [...this.#split(part)];
    const last = messages.pop();
    if (last === undefined) return done();
    for (const message of messages) this.#socket.send(message);
    this.#socket.send(last, done);
  }

  override _final(done: () => void): void {
    if (this.#socket.readyState === this.#socket.CLOSED) return done();
    this.#socket.once("close", () => done());
    this.#socket.close(1000);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.terminate();
    done(error);
  }
}
