// HTTP servers: listening, stopping by a deadline, and reading JSON bodies. Probes, metrics and webhooks use them.

import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onAbort } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";

/** Handles one request. If it throws, the answer is 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** A server that can be stopped. */
export interface Listener {
  /** `127.0.0.1:8081`, with the port that was chosen. */
  readonly address: string;
  /** From now on, asks every client to use another connection for its next request. */
  drain(): void;
  /** Accepts no more connections, lets requests finish, and closes the rest at the deadline. */
  close(deadline: AbortSignal): Promise<void>;
}

/** Starts a server for plain HTTP; rejects if it can't listen on the address. */
export function listenHttp(address: BindAddress, handler: HttpHandler): Promise<Listener> {
  return listen(createServer(requestListener(handler)), address);
}

/** Converts a handler to a request listener of Node's servers. */
export function requestListener(
  handler: HttpHandler,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void (async () => {
      try {
        await handler(request, response);
      } catch {
        if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain; charset=utf-8" });
        response.end("internal error\n");
      }
    })();
  };
}

/** Starts a server that is already set up; rejects if it can't listen on the address. */
export async function listen(server: Server | SecureServer, { host, port }: BindAddress): Promise<Listener> {
  // Like Go's servers for Kubernetes' probes: slow headers and idle connections block nothing.
  server.headersTimeout = 32_000;
  server.keepAliveTimeout = 90_000;
  const answering = new Set<ServerResponse>();
  let isClosing = false;
  let isDraining = false;
  // Before the handler, which may answer at once.
  server.prependListener("request", (_: IncomingMessage, response: ServerResponse) => {
    answering.add(response);
    if (isDraining) response.setHeader("connection", "close");
    response.once("close", () => {
      answering.delete(response);
      // A connection that is kept for another request would keep the server open.
      if (isClosing) server.closeIdleConnections();
    });
  });
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  const drain = (): void => {
    isDraining = true;
    for (const response of answering) if (!response.headersSent) response.setHeader("connection", "close");
  };
  return {
    address: `${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`,
    drain,
    close: (deadline) =>
      new Promise((resolve) => {
        isClosing = true;
        drain();
        const closeAll = () => server.closeAllConnections();
        server.close(() => {
          deadline.removeEventListener("abort", closeAll);
          resolve();
        });
        server.closeIdleConnections();
        onAbort(deadline, closeAll);
      }),
  };
}

/** The address a server listens on. */
export interface BindAddress {
  /** Undefined for all addresses. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Parses `:8081`, `127.0.0.1:8081` or `[::1]:8081`; undefined for `0` and the empty string, which turn a server off.
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === "" || text === "0") return undefined;
  const match = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]*)):(?<port>\d+)$/.exec(text);
  const port = Number(match?.groups?.["port"]);
  if (!match || port > 65_535)
    throw new TerminalError(
      `"${text}" is not an address to listen on: write it like :8081, 127.0.0.1:8081, or 0 for none`,
    );
  return { host: match.groups?.["ipv6"] ?? (match.groups?.["host"] || undefined), port };
}

/** A service that runs from before the caches are filled until everything else has stopped. */
export interface Service {
  start(): Promise<void>;
  stop(deadline: AbortSignal): Promise<void>;
}

/** A request that can't be handled, with the status of the answer. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** API servers allow objects of 3 MiB, and a review contains two of them. */
const maxBodyLength = 7 * 1024 * 1024;

/** Reads a JSON body. Throws an `HttpError` for one that is too large, of another type, or malformed. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim();
  if (request.method !== "POST") throw new HttpError(405, "only POST is served here");
  if (type !== "application/json")
    throw new HttpError(400, `the content type is ${type ?? "missing"}, not application/json`);
  const chunks: Buffer[] = [];
  let length = 0;
  // The loop must not destroy the connection when it throws: the error is answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyLength) throw new HttpError(413, `the body is larger than ${maxBodyLength} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
}
