import type { IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import { ApiError } from "./api-error.ts";
import { currentCallContext } from "./call-context.ts";
import type { ClusterConfig, Credential } from "./config.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { identityHeaders } from "./identity-headers.ts";
import { onAbort } from "./on-abort.ts";
import { errorFromAnswer, errorFromSocket, isDistrust } from "./response-error.ts";
import { retryDelay } from "./retry.ts";
import type { RawRequest, RawResponse, TransportOptions } from "./transport.ts";
import { parseWarnings } from "./warning-header.ts";
import { wait } from "./wait.ts";

/** A config, or what loads it before the first request. */
export type ConfigSource = ClusterConfig | (() => Promise<ClusterConfig>);

/** Sends requests to one server over kept connections, and tries again where that is safe and asked for. */
export class HttpTransport {
  readonly #source: ConfigSource;
  readonly #options: TransportOptions;
  #connection: Promise<Connection> | undefined;
  readonly #handle: (request: RawRequest) => Promise<RawResponse>;

  constructor(config: ConfigSource, options: TransportOptions = {}) {
    this.#source = config;
    this.#options = options;
    this.#handle = (options.interceptors ?? []).reduceRight<(request: RawRequest) => Promise<RawResponse>>(
      (next, interceptor) => (request) => interceptor(request, next),
      (request) => this.#sendWithRetries(request),
    );
  }

  /** Sends a request; resolves with an answer below 400, rejects with an `ApiError` or the signal's reason. */
  async send(request: RawRequest): Promise<RawResponse> {
    return this.#handle(request);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    (await this.#connection)?.pool.close();
  }

  /** Where requests go. Loaded with the first one; a config that failed to load is tried again with the next. */
  connection(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const config = typeof this.#source === "function" ? await this.#source() : this.#source;
    const pool = new ConnectionPool(config, this.#options.maxConnections ?? 64);
    return { config, base: new URL(config.server), pool };
  }

  async #sendWithRetries(request: RawRequest): Promise<RawResponse> {
    const connection = await this.connection();
    const { credentials } = connection.config;
    let refresh = false;
    for (let attempt = 0; ; attempt++) {
      request.signal?.throwIfAborted();
      const credential = (await credentials?.current({ refresh })) ?? {};
      try {
        return await this.#attempt(connection, request, { credential, refresh, attempt });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!refresh && ((error.isUnauthorized && credentials) || isDistrust(error))) {
          refresh = true;
          continue;
        }
        const delay = retryDelay(error, request, attempt);
        if (delay === undefined) throw error;
        await wait(delay, request.signal);
      }
    }
  }

  async #attempt(
    connection: Connection,
    request: RawRequest,
    { credential, refresh, attempt }: { credential: Credential; refresh: boolean; attempt: number },
  ): Promise<RawResponse> {
    const { method = "GET", stream = false } = request;
    const started = performance.now();
    const report = (code: string): void =>
      this.#options.onRequest?.({
        method,
        host: connection.base.host,
        code,
        seconds: (performance.now() - started) / 1000,
        attempt,
      });
    const label = `${method} ${request.path}`;
    try {
      const agent = connection.pool.agent({ stream, credential, refresh });
      const answer = await this.#exchange(connection, request, { credential, agent });
      const status = answer.statusCode ?? 0;
      this.#passOnWarnings(answer, label);
      const text = stream && status < 400 ? "" : await readText(answer);
      report(String(status));
      if (status >= 400) throw errorFromAnswer(status, answer.headers, text, label);
      return { status, headers: answer.headers, text, stream: text === "" && stream ? answer : undefined };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      report("<error>");
      request.signal?.throwIfAborted();
      throw errorFromSocket(error, label);
    }
  }

  /** Resolves with the head of the answer. */
  #exchange(
    { config, base }: Connection,
    request: RawRequest,
    { credential, agent }: { credential: Credential; agent: http.Agent },
  ): Promise<IncomingMessage> {
    const { method = "GET", stream = false, signal } = request;
    const body = request.body === undefined ? undefined : textOf(request.body);
    const secure = base.protocol === "https:";
    const { timeout = 65_000, userAgent = "tsbuilder-runtime" } = this.#options;
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? https : http).request({
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ""),
        port: base.port || (secure ? 443 : 80),
        method,
        path: base.pathname.replace(/\/$/, "") + request.path + queryText(request.query),
        agent,
        headers: {
          accept: "application/json",
          "user-agent": userAgent,
          ...identityHeaders(credential, config.impersonate),
          ...(body !== undefined && {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
          }),
          ...request.headers,
        },
      });
      const forget = onAbort(signal, () => {
        outgoing.destroy(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
      });
      outgoing.once("close", forget);
      outgoing.setTimeout(timeout, () => outgoing.destroy(new TimeoutError(timeout)));
      outgoing.once("response", (answer) => {
        if (stream && (answer.statusCode ?? 0) < 400) outgoing.setTimeout(0);
        resolve(answer);
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }

  #passOnWarnings(answer: IncomingMessage, request: string): void {
    const header = answer.headers.warning;
    if (header === undefined) return;
    const report = currentCallContext()?.onWarning ?? this.#options.onWarning;
    for (const text of parseWarnings(header)) report?.({ text, request });
  }
}

/** What requests need, once the config is loaded. */
interface Connection {
  readonly config: ClusterConfig;
  readonly base: URL;
  readonly pool: ConnectionPool;
}

/** Nothing moved on the connection for too long. */
class TimeoutError extends Error {
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds / 1000} s`);
  }
}

/** Listeners cost less than an iterator, which counts at thousands of requests a second. */
function readText(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () =>
      resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString("utf8")),
    );
    answer.on("error", reject);
  });
}

function textOf(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function queryText(query: RawRequest["query"]): string {
  let text = "";
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
