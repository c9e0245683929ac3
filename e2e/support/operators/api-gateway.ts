import { subscribe, unsubscribe } from "node:diagnostics_channel";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { loadConfig } from "@tsbuilder/runtime";

/** A request that came through, with the status of its response; 0 if there was none. */
export interface PassedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  status: number;
}

/** A proxy between an operator and its API server: it records every request, and can be cut. */
export interface ApiGateway {
  readonly url: string;
  readonly requests: readonly PassedRequest[];
  /**
   * True while requests are in flight; a watch, which has no end, is until the server has sent all it had at first. Also
   * while a client in this process has not received what was sent: the kernel may hold back bytes of a long stream.
   */
  readonly isBusy: boolean;
  /** Breaks all connections and responds to nothing, until `mend`. */
  cut(): void;
  mend(): void;
  /** Fails the next such request instead of passing it to the server. */
  refuseNext(refusal: Refusal, matches: (request: PassedRequest) => boolean): void;
  /** Fails each such request, until the function that it returns is called. */
  refuseEach(refusal: Refusal, matches: (request: PassedRequest) => boolean): () => void;
  /**
   * Ends the watches of these objects, and answers the next one with 410 Gone, as a server does for an expired
   * version.
   */
  expireWatches(plural: string): void;
  close(): Promise<void>;
}

/** A failure to respond with. */
interface Refusal {
  readonly code: number;
  readonly reason: string;
}

type KubeconfigSource = NonNullable<Parameters<typeof loadConfig>[0]>["kubeconfig"];

/** Starts a gateway in front of the API server of a kubeconfig. Clients bring their own credentials. */
export async function startApiGateway(
  kubeconfig: KubeconfigSource,
  clock: Clock = systemClock,
): Promise<ApiGateway> {
  const { server: upstream } = await loadConfig({ kubeconfig, env: {} });
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  const requests: PassedRequest[] = [];
  const sockets = new Set<Socket>();
  const running = new Map<ServerResponse, PassedRequest>();
  const inFlight = new Set<PassedRequest>();
  const refusals: {
    refusal: Refusal;
    matches: (request: PassedRequest) => boolean;
    isLasting?: boolean;
  }[] = [];
  let isCut = false;

  const clients = watchClients();
  const server = http.createServer((request, response) => {
    const url = new URL(request.url!, upstream);
    const query = url.searchParams;
    const passed = {
      at: clock.monotonic(),
      method: request.method!,
      path: url.pathname,
      query,
      status: 0,
    };
    requests.push(passed);
    if (isCut) {
      request.socket.destroy();
      return;
    }
    const found = refusals.find(({ matches }) => matches(passed));
    if (found) {
      const { refusal, isLasting } = found;
      if (!isLasting) refusals.splice(refusals.indexOf(found), 1);
      passed.status = refusal.code;
      refuse(response, refusal);
      return;
    }
    running.set(response, passed);
    inFlight.add(passed);
    response.once("close", () => {
      running.delete(response);
      inFlight.delete(passed);
    });
    forward(request, response, { url, agent, passed, onOpen: () => inFlight.delete(passed) });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get isBusy() {
      return inFlight.size > 0 || [...sockets].some(clients.hasToReceive);
    },
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    refuseNext: (refusal, matches) => void refusals.push({ refusal, matches }),
    refuseEach: (refusal, matches) => {
      const lasting = { refusal, matches, isLasting: true };
      refusals.push(lasting);
      return () => void refusals.splice(refusals.indexOf(lasting), 1);
    },
    expireWatches(plural) {
      const matches = (passed: PassedRequest) => isWatch(passed) && passed.path.endsWith(`/${plural}`);
      refusals.push({ refusal: { code: 410, reason: "Expired" }, matches });
      for (const [response, passed] of running) if (matches(passed)) response.destroy();
    },
    async close() {
      clients.stop();
      breakAll();
      agent.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Follows the sockets that this process opens, to know how much they have read. */
function watchClients(): { hasToReceive: (from: Socket) => boolean; stop: () => void } {
  const channel = "net.client.socket";
  const byPorts = new Map<string, Socket>();
  const follow = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => {
      const ports = `${socket.localPort} ${socket.remotePort}`;
      byPorts.set(ports, socket);
      socket.once("close", () => byPorts.delete(ports));
    });
  };
  subscribe(channel, follow);
  return {
    hasToReceive: (from) => {
      const client = byPorts.get(`${from.remotePort} ${from.localPort}`);
      return client !== undefined && client.bytesRead < from.bytesWritten;
    },
    stop: () => void unsubscribe(channel, follow),
  };
}

/** True if a request is a watch. */
export function isWatch({ query }: PassedRequest): boolean {
  return query.get("watch") === "true" || query.get("watch") === "1";
}

/** True if a request may change something; access reviews are posted, and change nothing. */
export function isWrite({ method, path }: PassedRequest): boolean {
  return method !== "GET" && !path.includes("/authorization.k8s.io/") && !path.includes("/leases/");
}

/** A request on its way. */
interface Forwarded {
  readonly url: URL;
  readonly agent: https.Agent;
  readonly passed: PassedRequest;
  /** Called when a watch has come to where only a change of an object sends more. */
  readonly onOpen: () => void;
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { url, agent, passed, onOpen }: Forwarded,
): void {
  const headers = { ...request.headers, host: url.host };
  const sent = https.request(url, { method: request.method!, headers, agent }, (answer) => {
    passed.status = answer.statusCode!;
    response.writeHead(answer.statusCode!, answer.headers);
    // A watch without events yet is open all the same.
    response.flushHeaders();
    if (isWatch(passed)) reportOpen(passed, answer, onOpen);
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  sent.once("error", () => response.destroy());
  response.once("close", () => sent.destroy());
  request.pipe(sent);
}

function reportOpen({ query }: PassedRequest, answer: IncomingMessage, onOpen: () => void): void {
  if (query.get("sendInitialEvents") !== "true") return onOpen();
  const endOfList = "k8s.io/initial-events-end";
  let text = "";
  answer.on("data", (bytes: Buffer) => {
    text = text.slice(-endOfList.length) + bytes.toString("latin1");
    if (text.includes(endOfList)) onOpen();
  });
}

function refuse(response: ServerResponse, { code, reason }: Refusal): void {
  response.writeHead(code, { "content-type": "application/json" });
  const message = `the gateway answers with ${reason}`;
  response.end(
    JSON.stringify({ apiVersion: "v1", kind: "Status", status: "Failure", reason, code, message }),
  );
}
