import type { Readable } from "node:stream";
import type { CallOptions } from "./options.ts";

/** A request below the level of kinds. */
export interface RawRequest extends CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** From the server's root: `/version`. */
  readonly path: string;
  readonly query?: { readonly [name: string]: string | number | boolean | undefined } | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** JSON text, or a value that is turned into it. */
  readonly body?: unknown;
  /** Leave the body unread, as a stream. */
  readonly stream?: boolean | undefined;
}

/** The answer to a request; a status of 400 and above throws an `ApiError` instead. */
export interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The body's text; empty if it is left to the stream. */
  readonly text: string;
  readonly stream: Readable | undefined;
}
