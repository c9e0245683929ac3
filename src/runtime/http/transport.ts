import type { Readable } from "node:stream";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ApiWarning } from "../scope/call-context.ts";
import type { CallOptions } from "./call-options.ts";

/** A request below the level of kinds. */
export interface RawRequest extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** From the server's root: `/version`. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | boolean | undefined } | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** JSON text, or a value that is turned into it. */
  readonly body?: unknown;
  /** Leave the body unread, as a stream, on a connection of its own. */
  readonly stream?: boolean | undefined;
}

/** The answer to a request; a status of 300 and above throws an `ApiError` instead. */
export interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The body's text; empty if it is left to the stream. */
  readonly text: string;
  readonly stream: Readable | undefined;
}

/** One finished attempt, for metrics. */
export interface RequestReport {
  readonly method: string;
  readonly host: string;
  /** The HTTP status, or `<error>` without an answer. */
  readonly code: string;
  readonly seconds: number;
  /** Seconds of them until there was a connection to send it on. */
  readonly waited: number;
  /** Which attempt it was, from 0. */
  readonly attempt: number;
  /** Lengths of the bodies; undefined for an answer that is a stream, and without one. */
  readonly requestBytes: number;
  readonly responseBytes: number | undefined;
}

/** One name that was looked up, for metrics. */
export interface LookupReport {
  readonly host: string;
  readonly seconds: number;
}

/** What all requests to one cluster share. */
export interface TransportOptions {
  /** Who is calling: `mysql-operator/1.2.0`. */
  readonly userAgent?: string | undefined;
  /** Connections for requests; watches have their own. 64 unless said otherwise. */
  readonly maxConnections?: number | undefined;
  /** Give up when nothing moved for this many milliseconds; 65,000 unless said otherwise, the server's 60 s and a bit. */
  readonly timeout?: number | undefined;
  /** Give up when a connection isn't open after this many milliseconds; 10,000 unless said otherwise. */
  readonly connectTimeout?: number | undefined;
  /** Times connecting, answers, retries and the age of credentials. The machine's time unless given. */
  readonly clock?: Clock | undefined;
  /** Stands around every request: to count, delay, change or refuse it. The first one is the outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Called right before each attempt is sent, retries included; what it throws refuses the request. */
  readonly beforeSend?: ((request: RawRequest) => void) | undefined;
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
  readonly onLookup?: ((report: LookupReport) => void) | undefined;
  readonly onWarning?: ((warning: ApiWarning) => void) | undefined;
}

/** Handles a request by calling `next`, or in place of it. */
export type Interceptor = (
  request: RawRequest,
  next: (request: RawRequest) => Promise<RawResponse>,
) => Promise<RawResponse>;
