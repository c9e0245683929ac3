import { type Server, createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import type { Handler } from "../http/request-context.ts";
import type { TimeSlices } from "../http/time-slices.ts";
import { serve } from "./serve.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly serving: CertificateWithKey;
  /** The CAs of client certificates, in PEM. */
  readonly clientCA: string[];
  readonly slices: TimeSlices;
  readonly onError: (error: unknown) => void;
}

/** An open port. */
export interface Listener {
  readonly url: string;
  /** Ends all connections and the port. */
  close(): Promise<void>;
}

/** The limit of the real API server: a mebibyte, and what Go's server reads beyond it. */
const headerLimit = 1024 * 1024 + 4096;

/** Serves a handler over TLS; client certificates are optional. */
export async function listen(handler: Handler, options: ListenOptions): Promise<Listener> {
  const { host, port, serving, clientCA, slices, onError } = options;
  const server = createServer(
    {
      cert: serving.cert,
      key: serving.key,
      ca: clientCA,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 90_000,
      headersTimeout: 20_000,
      requestTimeout: 60_000,
      maxHeaderSize: headerLimit,
    },
    serve({ handler, report: onError, slices }),
  );
  // Only their size is limited.
  server.maxHeadersCount = 0;
  server.on("clientError", refuseMalformed);
  server.on("secureConnection", readByEvents);
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const connections = connectionsOf(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `https://${host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.destroy();
      }),
  };
}

/** Go's server waits this long for the client to read the response: a reset would discard it. */
const lingerMilliseconds = 500;

/** Connections that got their response. */
const refused = new WeakSet<Duplex>();

/** Responds to what is not an HTTP request, or has too many headers, as Go's server does, and ends the connection. */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const status =
    code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
  // What the client still sends is received but discarded.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

/** All open connections, including those that have not finished their handshake, which Node's own list omits. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

/**
 * Makes Node's HTTP parser read a connection by its events. By default it reads the TLS layer directly, which continues
 * after a pause: a large request that arrives while the response before it is being written would end the connection.
 */
function readByEvents(socket: Socket): void {
  const none = (): void => undefined;
  socket.on("data", none).off("data", none);
}
