import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { User } from "../contract/user.ts";
import type { RequestInfo } from "./request-info.ts";

/** A request as it came, by a socket or a call. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, for headers that are repeated. */
  readonly rawHeaders: readonly string[];
  /** What brought it: requests of one connection share it. */
  readonly socket: object;
  /** Why it broke off, if it did. */
  readonly errored: Error | null;
  readBody(): Promise<Buffer>;
}

/** A request on its way through the filters. */
export interface RequestContext {
  readonly request: ReceivedRequest;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Sent as `Warning` headers, without repetitions. */
  readonly warnings: Set<string>;
  /** Set by authentication, and replaced by impersonation. */
  user: User;
}

/** A response. A stream writes it itself; its promise is rejected if that fails. */
export interface Reply {
  readonly code: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parts are sent one after the other, so that objects' bytes are not copied. */
  readonly body?: Buffer | string | readonly Buffer[];
  readonly stream?: (response: ServerResponse) => Promise<void>;
}

export type Handler = (context: RequestContext) => Reply | Promise<Reply>;

/** A step around the rest of the chain. */
export type Filter = (context: RequestContext, next: () => Reply | Promise<Reply>) => Reply | Promise<Reply>;

/** Wraps a handler in filters; the first is the outermost. */
export function compose(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>(
    (inner, filter) => (context) => filter(context, () => inner(context)),
    handler,
  );
}
