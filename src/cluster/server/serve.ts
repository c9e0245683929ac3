// From a connection to the handler behind the filters. This file opens the port and makes the context of each request,
// `send-reply.ts` sends its response, `in-process.ts` does both for requests that are function calls, and
// `api-handler.ts` chooses between resources, discovery, OpenAPI and health.

import { once } from "node:events";
import { type IncomingMessage, ServerResponse } from "node:http";
import { type Server, createServer } from "node:https";
import { type AddressInfo, type Socket, isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import { failedRequest, isDisconnect, statusErrorOf } from "../filters/errors.ts";
import type { Handler, ReceivedRequest, RequestContext, RequestInfo } from "../http/request-context.ts";
import { bodyLimit, jsonType, parseRequest } from "../http/request-context.ts";
import { sendReply } from "./send-reply.ts";
import { type StatusError, badRequest, tooLarge } from "../contract/status-error.ts";
import type { TimeSlices } from "../http/time-slices.ts";
import type { User } from "../contract/user.ts";

/** Receives errors of responses that could not be sent. */
export type Report = (error: unknown) => void;

/** The handler of a server, and its surroundings. */
interface ServeOptions {
  readonly handler: Handler;
  readonly report: Report;
  /** The cluster's time slices: large bodies are sent within them. */
  readonly slices: TimeSlices;
}

/** Makes a request listener for node:https from a handler. */
export function serve(options: ServeOptions): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void answer(options, request, response);
}

/** The address, certificates and surroundings of a server. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly serving: CertificateWithKey;
  /** The CAs of client certificates, in PEM. */
  readonly clientCA: string[];
  readonly slices: TimeSlices;
  readonly onError: (error: unknown) => void;
}

/** The real API server's limit of headers: a mebibyte, and the 4 KiB that Go's server adds. */
const headerLimit = 1024 * 1024 + 4096;

/** Serves a handler over TLS; client certificates are optional. `close` ends all connections and the port. */
export async function listen(handler: Handler, options: ListenOptions) {
  const { host, port, serving, clientCA, slices, onError } = options;
  const server = createServer(
    {
      cert: serving.cert,
      key: serving.key,
      ca: clientCA,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 90_000,
      headersTimeout: 32_000,
      requestTimeout: 60_000,
      maxHeaderSize: headerLimit,
    },
    serve({ handler, report: onError, slices }),
  );
  server.on("upgrade", upgrade({ handler, report: onError, slices }));
  // Go limits the size of headers, not their number.
  server.maxHeadersCount = 0;
  server.on("clientError", refuseMalformed);
  server.on("secureConnection", readByEvents);
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const connections = trackConnections(server);
  server.listen(port, host);
  await once(server, "listening");
  // The server goes on: such errors are about one connection, for which too many files are open, for example.
  server.on("error", onError);
  const address = server.address() as AddressInfo;
  return {
    url: `https://${reachableHost(host)}:${address.port}`,
    port: address.port,
    /** Serves a connection that another port has accepted. */
    accept: (socket: Socket) => void server.emit("connection", socket),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.destroy();
      }),
  };
}

/** Returns how this machine reaches a server that listens on an address, in the form of a URL. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return isIPv6(host) ? `[${host === "::" ? "::1" : host}]` : host;
}

/** Returns a set that holds the open connections, including unfinished TLS handshakes, which Node's own list omits. */
function trackConnections(server: Server): ReadonlySet<Socket> {
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
  const ignore = (): void => undefined;
  socket.on("data", ignore).off("data", ignore);
}

/** How long Go's server keeps a refused connection open: a reset would discard the response that the client still reads. */
const lingerMilliseconds = 500;

/** Connections that were refused. The parser may report several errors for one. */
const refused = new WeakSet<Duplex>();

/**
 * Responds to malformed requests and to headers that are too large, as Go's server does, and ends the connection. One on which
 * nothing came in time is only closed: clients keep spare ones, and would take what is sent for the response to their next request.
 */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (!socket.writable || code === "ECONNRESET" || code === "ERR_HTTP_REQUEST_TIMEOUT") {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const status = code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
  // Discards the rest of the request, so that the client can read the response.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}

/**
 * Makes a listener for requests that ask for another protocol. Those of kubelets get it; to all others the server
 * responds as if they hadn't asked, and ends the connection, which Node's parser has left.
 */
function upgrade(options: ServeOptions) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once("finish", () => socket.end());
    socket.on("error", () => socket.destroy());
    const handler: Handler = async (context) => {
      const reply = await options.handler(context);
      if (!reply.takeOver) return reply;
      response.detachSocket(socket as Socket);
      reply.takeOver(socket, head);
      return reply;
    };
    void answer({ ...options, handler }, request, response, socket);
  };
}

async function answer(
  { handler, report, slices }: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection = response,
): Promise<void> {
  const context = contextOf(new SocketRequest(request), connection);
  if (!context) return refuse(response, badRequest("the request's URL is malformed"));
  try {
    await sendReply(context, response, await handler(context), slices);
  } catch (error) {
    if (!isDisconnect(context, error)) report(failedRequest(context, error));
    refuse(response, statusErrorOf(error));
  }
}

/** A request of a socket. */
class SocketRequest implements ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly socket: object;
  readonly incoming: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.method = request.method ?? "GET";
    this.url = request.url ?? "/";
    this.headers = request.headers;
    this.rawHeaders = request.rawHeaders;
    this.socket = request.socket;
    this.incoming = request;
  }

  get errored(): Error | null {
    return this.incoming.errored;
  }

  readBody(): Promise<Buffer> {
    return readBody(this.incoming);
  }
}

/** Reads a request's body. Beyond the limit it rejects, but still receives the rest, so that the client reads the response. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(bodyLimit));
      }
    });
    request.on("error", reject);
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  });
}

/** Responds with a Status, or ends the connection if a response has begun but is not complete. */
function refuse(response: ServerResponse, { code, status }: StatusError): void {
  if (response.writableEnded) return;
  if (response.headersSent) response.destroy();
  else response.writeHead(code, { "Content-Type": jsonType }).end(JSON.stringify(status));
}

/** The connection of a response: the response itself, or the socket that somebody may take over from it. */
interface Connection {
  readonly destroyed: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** Makes the context of a request; undefined if its URL is malformed. */
export function contextOf(request: ReceivedRequest, connection: Connection): RequestContext | undefined {
  const { method, url: target } = request;
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1));
  try {
    return new Context(request, connection, query, parseRequest(method, path, query));
  } catch {
    return undefined;
  }
}

/** The context of a request, whose user is anonymous until authentication. */
class Context implements RequestContext {
  readonly request: ReceivedRequest;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly warnings = new Set<string>();
  user: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };
  readonly #connection: Connection;
  #disconnected: AbortController | undefined;

  constructor(request: ReceivedRequest, connection: Connection, query: URLSearchParams, info: RequestInfo) {
    this.request = request;
    this.method = request.method;
    this.#connection = connection;
    this.query = query;
    this.info = info;
  }

  /** Created on first use: few requests need it, and it costs more than the rest of the context. */
  get signal(): AbortSignal {
    this.#disconnected ??= abortOnClose(this.#connection);
    return this.#disconnected.signal;
  }
}

function abortOnClose(connection: Connection): AbortController {
  const controller = new AbortController();
  if (connection.destroyed) controller.abort();
  else connection.on("close", () => controller.abort());
  return controller;
}
