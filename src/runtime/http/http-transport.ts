// HTTP/1.1 to one API server, over sockets of our own. Begin here: a request gets credentials, a connection and
// retries. `connection-pool.ts` opens and shares connections, `http-connection.ts` sends requests over one of them, and
// `answer-parser.ts` parses the answers. `transport.ts` has the types of requests, `config.ts` those of a cluster.

import type { IncomingMessage } from "node:http";
import type net from "node:net";
import { text } from "node:stream/consumers";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { callSafely, warnOf } from "../callbacks/callbacks.ts";
import type { TimeSlices } from "../clock/time-slices.ts";
import { onAbort, unlessAborted, wait } from "../clock/waits.ts";
import { ApiError } from "../errors/api-error.ts";
import { currentCallContext, currentScope } from "../scope/scope.ts";
import { publish, receiver } from "../tracing/channels.ts";
import type { AnswerHead } from "./answer-parser.ts";
import { type AuthInfo, type ClusterConfig, identityHeaders } from "./config.ts";
import { ConnectionPool, type ConnectionRequest } from "./connection-pool.ts";
import { type Answer, type HttpConnection, requestBytes, type WireRequest } from "./http-connection.ts";
import {
  BrokenConnectionError,
  errorFromAnswer,
  errorFromSocket,
  isUntrustedCertificate,
  TimeoutError,
} from "./http-errors.ts";
import type { RawRequest, RawResponse, RequestReport, TransportOptions } from "./transport.ts";
import { OpenWebSocket } from "./web-socket.ts";

/** A config, or a function that loads it before the first request. */
export type ConfigSource = ClusterConfig | (() => Promise<ClusterConfig>);

/** The config and the connections, once loaded. */
interface Connection {
  readonly config: ClusterConfig;
  readonly base: URL;
  readonly pool: ConnectionPool;
}

/** One attempt to send a request. */
interface Attempt {
  readonly credential: AuthInfo;
  /** The last attempt was rejected: credentials and CA files must be read again. */
  readonly refresh: boolean;
  /** Starts at 0. */
  readonly number: number;
}

/** Sends requests to one server over kept connections, and retries where that is safe or requested by the server. */
export class HttpTransport {
  readonly slices: TimeSlices | undefined;
  readonly #source: ConfigSource;
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  #connection: Promise<Connection> | undefined;
  readonly #webSockets = new Set<OpenWebSocket>();
  readonly #handle: (request: RawRequest) => Promise<RawResponse>;

  /** With `slices`, callers continue within these. */
  constructor(config: ConfigSource, options: TransportOptions = {}, slices?: TimeSlices) {
    this.slices = slices;
    this.#source = config;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#handle = (options.interceptors ?? []).reduceRight<(request: RawRequest) => Promise<RawResponse>>(
      (next, interceptor) => (request) => interceptor(request, next),
      (request) => this.#sendWithRetries(request),
    );
  }

  /** Sends a request; resolves with an answer below 300, rejects with an `ApiError` or the signal's reason. */
  async send(request: RawRequest): Promise<RawResponse> {
    try {
      return await this.#handle(request);
    } finally {
      // Several answers may arrive in a turn, and the work after each may be long. Readers of streams pause themselves.
      const pause = request.stream || request.webSocket ? undefined : this.slices?.pause();
      if (pause) await pause;
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const webSocket of this.#webSockets) webSocket.destroy(new Error("the client was closed"));
    (await this.#connection)?.pool.close();
  }

  /** The config and connections, loaded with the first request; if that fails, the next request tries again. */
  connection(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  get #timeout(): number {
    return this.#options.timeout ?? 65_000;
  }

  async #connect(): Promise<Connection> {
    const config = typeof this.#source === "function" ? await this.#source() : this.#source;
    const { maxConnections = 64, connectTimeout = 10_000, onLookup } = this.#options;
    const pool = new ConnectionPool(config, {
      maxConnections,
      connectTimeout,
      clock: this.#clock,
      onLookup: (report) => callSafely(() => onLookup?.(report), warnOf("the client's onLookup")),
    });
    return { config, base: new URL(config.server), pool };
  }

  async #sendWithRetries(request: RawRequest): Promise<RawResponse> {
    const connection = await this.connection();
    const { credentials } = connection.config;
    let refresh = false;
    for (let number = 0; ; number++) {
      request.signal?.throwIfAborted();
      const current = credentials?.current({ refresh, clock: this.#clock }) ?? {};
      // A credential program may take long; an aborted request stops waiting for it.
      const credential = current instanceof Promise ? await unlessAborted(current, request.signal) : current;
      try {
        return await this.#attempt(connection, request, { credential, refresh, number });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!refresh && ((error.isUnauthorized && credentials) || isUntrustedCertificate(error))) {
          refresh = true;
          continue;
        }
        const delay = retryDelay(error, request, number);
        if (delay === undefined) throw error;
        await wait(this.#clock, delay, request.signal);
      }
    }
  }

  async #attempt(connection: Connection, request: RawRequest, attempt: Attempt): Promise<RawResponse> {
    const { method = "GET", stream = false } = request;
    const label = `${method} ${request.path}`;
    const wire = this.#wireRequest(connection, request, attempt.credential);
    const bytes = requestBytes(wire);
    const started = this.#clock.monotonic();
    let waited: number | undefined;
    const report = (code: string, responseBytes?: number): void => {
      const ended = this.#clock.monotonic();
      const seconds = (ended - started) / 1000;
      const finished: RequestReport = {
        method,
        host: wire.host,
        code,
        seconds,
        waited: waited ?? seconds,
        attempt: attempt.number,
        requestBytes: wire.body === undefined ? 0 : Buffer.byteLength(wire.body),
        responseBytes,
      };
      callSafely(() => this.#options.onRequest?.(finished), warnOf("the client's onRequest"));
      const run = currentScope()?.run;
      receiver?.requested(ended, run, method, wire.path, code, ended - started);
      publish("tsbuilder:request", () => ({
        reconcileID: currentReconcileID(),
        method,
        path: wire.path,
        code,
        seconds,
        body: code.startsWith("2") ? undefined : wire.body,
      }));
    };
    const failure = (error: unknown): ApiError => {
      report("<error>");
      request.signal?.throwIfAborted();
      return errorFromSocket(error, label);
    };
    const { signal, webSocket: protocols } = request;
    const handshake = protocols && { wire, protocols, clock: this.#clock, label };
    const { carry } = connection.config;
    let acquired: RequestConnection | undefined;
    try {
      const acquiring = carry
        ? undefined
        : this.#acquire(connection.pool, { ...attempt, stream, signal }, handshake);
      acquired = acquiring instanceof Promise ? await acquiring : acquiring;
    } catch (error) {
      throw failure(error);
    }
    waited = (this.#clock.monotonic() - started) / 1000;
    try {
      this.#options.beforeSend?.(request);
    } catch (error) {
      acquired?.rest();
      throw error;
    }
    let answer: Answer;
    try {
      answer = await (acquired
        ? this.#exchange(acquired, bytes, { stream, signal })
        : carry!(wire, { stream, timeout: this.#timeout, signal }));
    } catch (error) {
      throw failure(error);
    }
    this.#passOnWarnings(answer, label);
    report(String(answer.status), answer.bytes);
    // A redirect is an error, too: API servers send none, but login pages do.
    if (answer.status >= 300 || (handshake && !answer.webSocket))
      throw errorFromAnswer(answer, label, this.#clock.now());
    return answer;
  }

  /** Takes an idle connection, or waits for one. Most requests find one idle, and a promise costs time. */
  #acquire(
    pool: ConnectionPool,
    request: ConnectionRequest,
    handshake: WebSocketRequest | undefined,
  ): RequestConnection | Promise<RequestConnection> {
    if (handshake) return pool.open(request).then((socket) => webSocketHandshake(socket, handshake));
    const acquired = pool.acquire(request);
    return acquired instanceof Promise ? this.#awaitConnection(pool, request, acquired) : acquired;
  }

  /** Waits for a connection. One that ends meanwhile is replaced by the next. */
  async #awaitConnection(
    pool: ConnectionPool,
    request: ConnectionRequest,
    opening: Promise<HttpConnection>,
  ): Promise<HttpConnection> {
    let connection = await opening;
    while (connection.isGone) connection = await pool.acquire(request);
    if (!request.signal?.aborted) return connection;
    connection.rest();
    throw request.signal.reason;
  }

  /** Resolves with the whole answer, or with its head and a stream. The signal aborts either. */
  async #exchange(
    connection: RequestConnection,
    bytes: string | Buffer,
    { stream, signal }: Pick<ConnectionRequest, "stream" | "signal">,
  ): Promise<Answer> {
    const forget = onAbort(signal, () => connection.destroy(abortError(signal?.reason)));
    try {
      const answer = await connection.send(bytes, { stream, timeout: this.#timeout });
      if (answer.stream) answer.stream.once("close", forget);
      else forget();
      if (answer.webSocket) this.#trackWebSocket(answer.webSocket, signal);
      return answer;
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** Makes an open WebSocket end with its signal, and with the client. */
  #trackWebSocket(webSocket: OpenWebSocket, signal: AbortSignal | undefined): void {
    this.#webSockets.add(webSocket);
    const forget = onAbort(signal, () => webSocket.destroy(abortError(signal?.reason)));
    void webSocket.closed().then(() => {
      this.#webSockets.delete(webSocket);
      forget();
    });
  }

  #wireRequest({ config, base }: Connection, request: RawRequest, credential: AuthInfo): WireRequest {
    const { userAgent = "tsbuilder-runtime" } = this.#options;
    const body = request.body === undefined ? undefined : bodyText(request.body);
    return {
      method: request.method ?? "GET",
      host: base.host,
      path: base.pathname.replace(/\/$/, "") + request.path + queryText(request.query),
      headers: {
        accept: request.webSocket ? "*/*" : "application/json",
        "user-agent": userAgent,
        ...identityHeaders(credential, config.impersonate),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...withLowerCaseNames(request.headers),
      },
      body,
    };
  }

  #passOnWarnings({ headers }: Answer, request: string): void {
    const header = headers["warning"];
    if (header === undefined) return;
    const report = currentCallContext()?.onWarning ?? this.#options.onWarning;
    for (const text of parseWarnings(header))
      callSafely(() => report?.({ text, request }), warnOf("the client's onWarning"));
  }
}

/** A connection for one request. `rest` ends its use if nothing was sent. */
type RequestConnection = Pick<HttpConnection, "rest" | "destroy" | "send">;

/** A request for a WebSocket. */
interface WebSocketRequest {
  readonly wire: WireRequest;
  readonly protocols: readonly string[];
  readonly clock: Clock;
  /** The request, for errors. */
  readonly label: string;
}

/** Milliseconds of system time that a server has to confirm the end of a WebSocket. */
const closeTimeout = 2000;

/** Makes a connection that sends one request for a WebSocket over a connected socket, and owns the socket. */
function webSocketHandshake(
  connected: net.Socket,
  { wire, protocols, clock, label }: WebSocketRequest,
): RequestConnection {
  connected.setNoDelay(true).setKeepAlive(true, 30_000);
  return {
    rest: () => void connected.destroy(),
    destroy: (error) => void connected.destroy(error),
    /** Resolves with the open WebSocket, or with another answer of the server. */
    async send(_, { timeout }) {
      const { WebSocket } = await import("ws");
      const options = {
        createConnection: () => connected,
        headers: wire.headers as { [name: string]: string | string[] },
        perMessageDeflate: false,
        closeTimeout,
      };
      const socket = new WebSocket(`ws://${wire.host}${wire.path}`, [...protocols], options);
      const forget = clock.setTimer(() => connected.destroy(new TimeoutError(timeout)), timeout);
      try {
        return await new Promise((resolve, reject) => {
          const empty = { text: "", bytes: undefined, stream: undefined };
          let head: AnswerHead = { status: 101, headers: {} };
          socket.on("upgrade", (answer) => (head = headOf(answer)));
          socket.once("open", () =>
            resolve({ ...head, ...empty, webSocket: new OpenWebSocket(socket, { clock, label }) }),
          );
          socket.once("unexpected-response", (_request, answer) => {
            text(answer).then((body) => resolve({ ...headOf(answer), ...empty, text: body }), reject);
          });
          socket.once("error", reject);
          socket.once("close", () => reject(new BrokenConnectionError()));
        });
      } catch (error) {
        connected.destroy();
        throw error;
      } finally {
        forget();
      }
    },
  };
}

function headOf({ statusCode = 0, headers }: IncomingMessage): AnswerHead {
  const joined = Object.entries(headers).map(([name, value = ""]) => [name, [value].flat().join(", ")]);
  return { status: statusCode, headers: Object.fromEntries(joined) as AnswerHead["headers"] };
}

/**
 * The delay before a retry in milliseconds; undefined if the request must not be repeated.
 *
 * With `Retry-After` the server says that it did nothing, so any request may be repeated. After a lost connection that
 * is unknown, so only idempotent requests are repeated: reads, and server-side apply.
 */
function retryDelay(error: ApiError, request: RawRequest, attempt: number): number | undefined {
  if (attempt >= (request.maxRetries ?? 10)) return undefined;
  if (error.status === 429 || error.status >= 500) {
    const seconds = error.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
  if (error.isUnreachable && isRepeatable(request) && attempt < 3 && isBrokenConnection(error))
    return 50 * 2 ** attempt;
  return undefined;
}

function isRepeatable({ method = "GET", headers, stream, webSocket }: RawRequest): boolean {
  if (stream || webSocket) return false;
  return method === "GET" || headers?.["content-type"] === "application/apply-patch+yaml";
}

/** Returns true if an open connection broke; an unreachable server fails with other codes. */
function isBrokenConnection({ cause }: ApiError): boolean {
  const { code } = (cause ?? {}) as { code?: string };
  return code === "ECONNRESET" || code === "EPIPE";
}

/** The texts of a `Warning` header; the server uses code 299 for warnings to users. */
function parseWarnings(header: string | string[]): string[] {
  const text = Array.isArray(header) ? header.join(", ") : header;
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
}

/** The ID that log lines of the running reconcile have; undefined outside of reconciles. */
function currentReconcileID(): string | undefined {
  return currentScope()?.logFields?.()["reconcileID"] as string | undefined;
}

function abortError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted");
}

function bodyText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function queryText(query: RawRequest["query"]): string {
  let text = "";
  for (const [name, values] of Object.entries(query ?? {})) {
    for (const value of Array.isArray(values) ? values : [values])
      if (value !== undefined) text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

function withLowerCaseNames(headers: RawRequest["headers"]): { [name: string]: string } {
  const result: { [name: string]: string } = {};
  for (const name in headers) result[name.toLowerCase()] = headers[name]!;
  return result;
}
