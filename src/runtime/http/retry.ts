import type { ApiError } from "../errors/api-error.ts";
import type { RawRequest } from "./transport.ts";

/**
 * The delay before a retry in milliseconds; undefined if the request must not be repeated.
 *
 * With `Retry-After` the server says that it did nothing, so any request may be repeated. After a lost connection that
 * is unknown, so only idempotent requests are repeated: reads, and server-side apply.
 */
export function retryDelay(error: ApiError, request: RawRequest, attempt: number): number | undefined {
  if (attempt >= (request.maxRetries ?? 10)) return undefined;
  if (error.status === 429 || error.status >= 500) {
    const seconds = error.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
  if (error.isUnreachable && isRepeatable(request) && attempt < 3 && brokeUnderway(error))
    return 50 * 2 ** attempt;
  return undefined;
}

function isRepeatable({ method = "GET", headers, stream, webSocket }: RawRequest): boolean {
  if (stream || webSocket) return false;
  return method === "GET" || headers?.["content-type"] === "application/apply-patch+yaml";
}

/** This is how a kept connection that the server closed fails; an unreachable server fails differently. */
function brokeUnderway({ cause }: ApiError): boolean {
  const { code } = (cause ?? {}) as { code?: string };
  return code === "ECONNRESET" || code === "EPIPE";
}
