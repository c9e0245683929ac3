import { once } from "node:events";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { callSafely, warnOf } from "../callbacks/callbacks.ts";
import { onAbort } from "../clock/waits.ts";
import { ApiError } from "../errors/api-error.ts";
import type { PortForward, PortForwardOptions } from "./options.ts";
import type { RawRequest, RawResponse, WebSocketConnection } from "../http/transport.ts";

const host = "127.0.0.1";

/** Listens on the loopback interface, and joins each connection to a new one of `open`; see `Containers.portForward`. */
export async function listenFor(
  open: () => Promise<Duplex>,
  { localPort = 0, onError, signal }: PortForwardOptions,
): Promise<PortForward> {
  signal?.throwIfAborted();
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    joinSockets(socket, open).catch((error: unknown) => {
      if (server.listening) callSafely(() => onError?.(error as Error), warnOf("the onError of portForward"));
    });
  });
  server.listen(localPort, host);
  await once(server, "listening");
  const end = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const forget = onAbort(signal, end);
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async close() {
      forget();
      if (!server.listening) return;
      const closed = once(server, "close");
      end();
      await closed;
    },
  };
}

async function joinSockets(local: Socket, open: () => Promise<Duplex>): Promise<void> {
  // A socket may emit an error while it waits.
  local.on("error", () => {});
  const remote = await open().catch((error: unknown) => {
    local.destroy();
    throw error;
  });
  try {
    local.pipe(remote);
    await pipeline(remote, local);
  } catch (error) {
    // Other errors mean that the local program closed its connection, which is not a failure of the port.
    if (error instanceof ApiError) throw error;
  } finally {
    remote.destroy();
    local.destroy();
  }
}

/**
 * The oldest version, which all kubelets and container runtimes know. Ending one direction ends both. The newer version
 * tunnels SPDY and needs Kubernetes 1.31, and container runtimes end both directions there, too.
 */
const protocol = "v4.channel.k8s.io";

/** Opens a connection to a port of a pod, as a stream; see `Containers.openPort`. */
export async function openPort(
  path: string,
  port: number,
  signal: AbortSignal | undefined,
  send: (request: RawRequest) => Promise<RawResponse>,
): Promise<Duplex> {
  const { webSocket } = await send({ path, query: { ports: port }, webSocket: [protocol], signal });
  return new PortStream(webSocket!, `GET ${path}`);
}

/** The first byte of a message says what it carries. */
const channels = { data: 0, error: 1 };

/** A stream over a WebSocket. */
class PortStream extends Duplex {
  readonly #socket: WebSocketConnection;
  #wake = (): void => {};

  constructor(socket: WebSocketConnection, request: string) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#receive(request).then(
      () => this.push(null),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _read(): void {
    this.#wake();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat([Buffer.of(channels.data), chunk])).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy(error ?? undefined);
    this.#wake();
    done(error);
  }

  async #receive(request: string): Promise<void> {
    /** The channels whose first message, which only repeats the port, has arrived. */
    const begun = new Set<number>();
    for await (const message of this.#socket) {
      const channel = message[0]!;
      const content = message.subarray(1);
      if (!begun.has(channel)) begun.add(channel);
      else if (channel === channels.error)
        throw new ApiError({ message: content.toString("utf8") }, { request });
      else if (!this.push(content)) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
