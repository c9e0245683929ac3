import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Filter, Reply } from "../http/request-context.ts";

/** A request that was answered. A watch is answered when it begins. */
export interface AnsweredRequest {
  readonly user: string;
  readonly userAgent: string | undefined;
  /** The header of W3C Trace Context, if the client sent one. */
  readonly traceparent: string | undefined;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly code: number;
  readonly milliseconds: number;
  /** The message of the Status with which the request failed. */
  readonly failure: string | undefined;
}

/** Passes each request to `tell` once its answer is known. */
export function requestsFilter(tell: (request: AnsweredRequest) => void, clock: Clock): Filter {
  return async (context, next) => {
    const began = clock.monotonic();
    const reply = await next();
    const { method, user, request } = context;
    const { "user-agent": userAgent, traceparent } = request.headers;
    tell({
      user: user.name,
      userAgent,
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
      method,
      path: request.url,
      code: reply.code,
      milliseconds: clock.monotonic() - began,
      failure: reply.code < 400 ? undefined : messageOf(reply),
    });
    return reply;
  };
}

/** Returns the message of a Status; undefined for another body, such as YAML, or what a server behind this one answered. */
function messageOf({ body = "" }: Reply): string | undefined {
  const text = typeof body === "string" ? body : Buffer.concat([body].flat()).toString();
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
