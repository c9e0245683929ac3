import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ClusterConfig } from "../http/config.ts";

/** A request as the stub server received it. */
export interface StubRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The connection, for resetting or ignoring it. */
  readonly socket: Socket;
}

/** A server whose answers are given by a test. */
export interface StubServer {
  readonly config: ClusterConfig;
  /** All requests so far, in order. */
  readonly requests: readonly StubRequest[];
  /** The number of connections opened so far, and of those that are open. */
  readonly connections: { readonly opened: number; readonly open: number };
  close(): Promise<void>;
}

/** Answers one request, in any way that a socket allows. */
export type StubAnswer = (request: StubRequest, response: http.ServerResponse) => unknown;

/**
 * Starts a server on the loopback interface for faults that a healthy cluster doesn't have: resets, truncated answers,
 * silence. For everything else use the embedded cluster. One that takes the place of another needs the same `port`.
 */
export async function startStubServer(
  answer: StubAnswer,
  { port: wanted = 0 }: { readonly port?: number } = {},
): Promise<StubServer> {
  const requests: StubRequest[] = [];
  const sockets = new Set<Socket>();
  const connections = { opened: 0, open: 0 };
  const server = http.createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const url = new URL(incoming.url ?? "/", "http://stub");
      const request: StubRequest = {
        method: incoming.method ?? "GET",
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body,
        socket: incoming.socket,
      };
      requests.push(request);
      return answer(request, response);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    connections.opened++;
    connections.open++;
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      connections.open--;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(wanted, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    config: { server: `http://127.0.0.1:${port}` },
    requests,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Answers with JSON. */
export function answerJSON(response: http.ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a Status like the API server. */
export function answerStatus(
  response: http.ServerResponse,
  code: number,
  reason: string,
  { headers = {}, details }: { headers?: object; details?: object } = {},
): void {
  const body = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: reason,
    reason,
    code,
  };
  answerJSON(response, details ? { ...body, details } : body, code, headers);
}

async function readBody(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // The client went away in the middle; what came is all there is.
  }
  return Buffer.concat(chunks).toString("utf8");
}
