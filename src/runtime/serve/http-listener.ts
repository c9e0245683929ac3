import { onAbort } from "../clock/on-abort.ts";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { BindAddress } from "./bind-address.ts";

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

/** Starts a plain HTTP server. */
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
      // Its connection would be kept for the next request, and the server open with it.
      if (isClosing) server.closeIdleConnections();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
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
        const cut = () => server.closeAllConnections();
        server.close(() => {
          deadline.removeEventListener("abort", cut);
          resolve();
        });
        server.closeIdleConnections();
        onAbort(deadline, cut);
      }),
  };
}
