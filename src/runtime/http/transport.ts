import type { Readable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ApiWarning } from "../scope/scope.ts";

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. Default: the signal of the reconcile that makes it. */
  readonly signal?: AbortSignal | undefined;
}

type QueryValue = string | number | boolean | undefined;

/** A request for any path of the API server. */
export interface RawRequest extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Relative to the server's root: `/version`. */
  readonly path: string;
  /** A list repeats its parameter. */
  readonly query?: { readonly [name: string]: QueryValue | readonly string[] } | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** How often the request is repeated at most; only if that is safe or the server asks for it. Default: 10. */
  readonly maxRetries?: number | undefined;
  /** JSON text, or a value that is serialized. */
  readonly body?: unknown;
  /** Return the body as a stream, on a separate connection. */
  readonly stream?: boolean | undefined;
  /** Ask for a WebSocket that speaks one of these protocols, on a separate connection. */
  readonly webSocket?: readonly string[] | undefined;
}

/** The answer to a request; a status of 300 and above throws an `ApiError` instead. */
export interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The text of the body; empty if it is a stream. */
  readonly text: string;
  readonly stream: Readable | undefined;
  /** Open, if the request asked for one. The signal of the request closes it. */
  readonly webSocket?: WebSocketConnection | undefined;
}

/** An open WebSocket. A loop over it gets its messages, and ends or throws when the connection does. */
export interface WebSocketConnection extends AsyncIterable<Buffer> {
  /** The protocol that the server chose. */
  readonly protocol: string;
  /** Sends a message, and resolves when the connection can take the next one. */
  send(message: Uint8Array): Promise<void>;
  /** Closes the connection after the messages that were sent. */
  close(): void;
  /** Breaks the connection off; the loop over its messages throws the error. */
  destroy(error?: Error): void;
}

/** A finished attempt, for metrics. */
export interface RequestReport {
  readonly method: string;
  readonly host: string;
  /** The HTTP status, or `<error>` without an answer. */
  readonly code: string;
  readonly seconds: number;
  /** How many of these seconds it waited for a connection. */
  readonly waited: number;
  /** The number of the attempt, starting at 0. */
  readonly attempt: number;
  /** Sizes of the bodies; undefined for a streamed or missing answer. */
  readonly requestBytes: number;
  readonly responseBytes: number | undefined;
}

/** A DNS lookup, for metrics. */
export interface LookupReport {
  readonly host: string;
  readonly seconds: number;
}

/** Settings of all requests to one cluster. */
export interface TransportOptions {
  /** The user agent: `mysql-operator/1.2.0`. */
  readonly userAgent?: string | undefined;
  /** Maximum number of connections for requests; watches have their own. Default: 64. */
  readonly maxConnections?: number | undefined;
  /** Give up after this many milliseconds without data. Default: 65,000, a bit more than the server's 60 s. */
  readonly timeout?: number | undefined;
  /** Give up if a connection isn't open after this many milliseconds. Default: 10,000. */
  readonly connectTimeout?: number | undefined;
  /** Clock for connecting, timeouts, retries and the age of credentials. Default: the system time. */
  readonly clock?: Clock | undefined;
  /** Wrap every request, to count, delay, change or reject it. The first one is the outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Called right before each attempt, including retries; if it throws, the request is rejected. */
  readonly beforeSend?: ((request: RawRequest) => void) | undefined;
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  readonly onLookup?: ((report: LookupReport) => void) | undefined;
  readonly onWarning?: ((warning: ApiWarning) => void) | undefined;
}

/** Handles a request by calling `next`, or instead of it. */
export type Interceptor = (
  request: RawRequest,
  next: (request: RawRequest) => Promise<RawResponse>,
) => Promise<RawResponse>;
