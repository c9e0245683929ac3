import type { ApiError } from "../errors/api-error.ts";
import type { RawRequest } from "./transport.ts";

/** How often a request is tried again. */
const maxRetries = 10;

/**
 * How long to wait before a request is sent again, in milliseconds; undefined if it must not be.
 *
 * The server's `Retry-After` says that it did nothing, so any request may be repeated. After a lost connection nobody
 * knows, so only requests are repeated that do no harm twice: reads, and server-side apply.
 */
export function retryDelay(error: ApiError, request: RawRequest, attempt: number): number | undefined {
  if (attempt >= maxRetries) return undefined;
  if (error.status === 429 || error.status >= 500) {
    const seconds = error.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
  if (error.isUnreachable && isRepeatable(request) && attempt < 3 && brokeUnderway(error))
    return 50 * 2 ** attempt;
  return undefined;
}

function isRepeatable({ method = "GET", headers, stream }: RawRequest): boolean {
  if (stream) return false;
  return method === "GET" || headers?.["content-type"] === "application/apply-patch+yaml";
}

/** A kept connection that the server closed looks like this; a server that isn't there doesn't. */
function brokeUnderway({ cause }: ApiError): boolean {
  const { code } = (cause ?? {}) as { code?: string };
  return code === "ECONNRESET" || code === "EPIPE";
}
