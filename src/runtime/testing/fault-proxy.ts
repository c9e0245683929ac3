import { readFileSync } from "node:fs";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { connect as connectTLS, createSecureContext } from "node:tls";
import { STATUS_CODES } from "node:http";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import type { ClusterConfig } from "../http/config.ts";

/**
 * A fault of a request. `after` counts the bytes of the answer that the client still gets:
 * - `refuse`: the connection is reset, and the server never sees the request;
 * - `reset`, `truncate`: the server gets the request, and the connection is reset or closed within the answer;
 * - `freeze`: the server gets the request, but from there on the client gets nothing more, and the connection stays open;
 * - `swallow`: the server never sees the request, and the connection stays open;
 * - `slow`: each piece of the answer arrives this many milliseconds late;
 * - `answer`: the proxy answers itself, like a load balancer whose servers are gone.
 */
export type ProxyFault =
  | { readonly type: "refuse" | "swallow" }
  | { readonly type: "reset" | "truncate" | "freeze"; readonly after: number }
  | { readonly type: "slow"; readonly milliseconds: number }
  | {
      readonly type: "answer";
      readonly status: number;
      readonly body?: string | undefined;
      readonly retryAfter?: number | undefined;
    };

/** A request that came to the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Everything of the request that came in one piece: its head and, if it is short, its body. */
  readonly text: string;
  /** The status with which the server answered; undefined before that, and if the proxy answered itself. */
  status: number | undefined;
}

/** A proxy in front of an API server; by default it passes everything on. */
export interface FaultProxy {
  /** How to reach it: without TLS, and with the credentials of the config that it was started with. */
  readonly config: ClusterConfig;
  /** The number of open connections of clients. */
  readonly open: number;
  /** The number of requests that were passed on, and that the server has not begun to answer. */
  readonly unanswered: number;
  /** The treatment of new connections: `hang` accepts them and never answers. */
  connections: "pass" | "reset" | "hang";
  /** While true, nothing is passed on in either direction; it arrives later. As if the client stood still. */
  isHeld: boolean;
  /** Decides what happens to each request; undefined passes it on. */
  onRequest: (request: ProxiedRequest) => ProxyFault | undefined;
  /** Called when the server's answer begins. */
  onAnswer: (request: ProxiedRequest) => void;
  /** Resets all connections. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy on the loopback interface that breaks connections in every way that a network or a load balancer can.
 * It understands just enough HTTP to know where a request begins. The delays of slow answers are on the clock.
 */
export async function startFaultProxy(
  target: ClusterConfig,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Promise<FaultProxy> {
  const dial = await createDialer(target);
  /** The connections of clients, each with its connection to the server. */
  const sockets = new Map<Socket, Socket | undefined>();
  /** The connections to the server that wait for an answer. */
  const unanswered = new Set<Socket>();
  let isHeld = false;
  const pauseOrResume = (ends: readonly (Socket | undefined)[]): void => {
    for (const end of ends) {
      if (isHeld) end?.pause();
      else end?.resume();
    }
  };
  const server = createServer({ noDelay: true }, (client) => {
    sockets.set(client, undefined);
    client.on("error", () => {});
    client.on("close", () => sockets.delete(client));
    if (proxy.connections === "reset") resetSocket(client);
    else if (proxy.connections === "hang") client.resume();
    else {
      const upstream = dial();
      sockets.set(client, upstream);
      joinConnections(client, upstream, { proxy, unanswered, clock });
      if (isHeld) pauseOrResume([client, upstream]);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { ca: _, caFile: __, ...rest } = target;
  const cut = (): void => {
    for (const socket of sockets.keys()) resetSocket(socket);
  };
  const proxy: FaultProxy = {
    config: { ...rest, server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    get open() {
      return sockets.size;
    },
    get unanswered() {
      return unanswered.size;
    },
    connections: "pass",
    get isHeld() {
      return isHeld;
    },
    set isHeld(value) {
      isHeld = value;
      pauseOrResume([...sockets].flat());
    },
    onRequest: () => undefined,
    onAnswer: () => {},
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
  return proxy;
}

/** Returns a function that connects to the server with the TLS settings and the client certificate of the config. */
async function createDialer(target: ClusterConfig): Promise<() => Socket> {
  const { server, caFile, insecureSkipTlsVerify, tlsServerName, credentials } = target;
  const { protocol, hostname, port } = new URL(server);
  const address = { host: hostname, port: Number(port), noDelay: true };
  if (protocol === "http:") return () => connect(address);
  const { cert, key } = (await credentials?.current({ refresh: false })) ?? {};
  const ca = target.ca ?? (caFile === undefined ? undefined : readFileSync(caFile));
  const secure = {
    secureContext: createSecureContext({ ca, cert, key }),
    ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
  };
  let session: Buffer | undefined;
  return () =>
    connectTLS({ ...address, ...secure, session }).on("session", (ticket) => {
      session = ticket;
    });
}

/** The state that all connections of a proxy share. */
interface ProxyState {
  readonly proxy: FaultProxy;
  readonly unanswered: Set<Socket>;
  readonly clock: Clock;
}

/** Joins both ends of a connection, and asks `onRequest` for a fault at the beginning of each request. */
function joinConnections(client: Socket, upstream: Socket, { proxy, unanswered, clock }: ProxyState): void {
  let request: ProxiedRequest | undefined;
  let fault: ProxyFault | undefined;
  /** Bytes of the current answer that the client has got. */
  let sent = 0;
  const delayed = new Set<() => void>();
  const isCutOff = (): boolean =>
    fault?.type === "swallow" || (fault?.type === "freeze" && sent >= fault.after);
  const end = (): void => {
    for (const cancel of delayed) cancel();
    unanswered.delete(upstream);
    client.destroy();
    upstream.destroy();
  };
  client.on("close", end);
  upstream.on("error", end);
  upstream.on("close", () => {
    unanswered.delete(upstream);
    // A client that is cut off doesn't get the end of the connection either.
    if (isCutOff()) return;
    if (delayed.size === 0) end();
  });
  client.on("data", (bytes: Buffer) => {
    const newRequest = parseRequest(bytes);
    if (newRequest) {
      [request, sent] = [newRequest, 0];
      fault = proxy.onRequest(newRequest);
    }
    if (fault?.type === "refuse") resetSocket(client);
    else if (fault?.type === "answer" && newRequest) client.write(formatAnswer(fault));
    else if (fault?.type !== "swallow" && fault?.type !== "answer") {
      if (newRequest) unanswered.add(upstream);
      upstream.write(bytes);
    }
  });
  upstream.on("data", (bytes: Buffer) => {
    unanswered.delete(upstream);
    if (sent === 0 && request) {
      request.status = Number(bytes.toString("latin1", 9, 12));
      proxy.onAnswer(request);
    }
    const piece = fault && "after" in fault ? bytes.subarray(0, Math.max(0, fault.after - sent)) : bytes;
    sent += bytes.length;
    const pass = (): void => {
      if (piece.length > 0) client.write(piece);
      if (piece.length === bytes.length) return;
      if (fault?.type === "reset") resetSocket(client);
      else if (fault?.type === "truncate") client.end();
    };
    if (fault?.type !== "slow") return pass();
    const cancel = clock.setTimer(() => {
      delayed.delete(cancel);
      pass();
      if (upstream.destroyed && delayed.size === 0) end();
    }, fault.milliseconds);
    delayed.add(cancel);
  });
}

/**
 * Breaks a connection with a reset. While the end of a socket's own side is under way, Node can't reset it: it reports
 * EINVAL, and never closes the handle, which then keeps a worker thread from ending. Such a connection is destroyed.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}

/** Parses the request that begins with these bytes; undefined if they are the rest of one. */
function parseRequest(bytes: Buffer): ProxiedRequest | undefined {
  const text = bytes.toString("utf8");
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (\S+) HTTP\/1\.1\r\n/.exec(text) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path, text, status: undefined };
}

function formatAnswer({ status, body = "", retryAfter }: ProxyFault & { readonly type: "answer" }): string {
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}`,
    "content-type: text/html",
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
  ];
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}
