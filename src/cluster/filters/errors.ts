import { jsonReply } from "../server/reply.ts";
import type { Filter } from "../server/request-context.ts";
import { internalError, StatusError } from "../status/index.ts";

/** Turns what the chain throws into a Status; what is no StatusError is a bug of ours and answers 500. */
export function errorsFilter(report: (error: unknown) => void): Filter {
  return async (context, next) => {
    try {
      return await next();
    } catch (thrown) {
      if (!(thrown instanceof StatusError) && !context.signal.aborted) report(thrown);
      const error = thrown instanceof StatusError ? thrown : internalError(String(thrown));
      const { retryAfterSeconds } = error.status.details ?? {};
      return jsonReply(error.status, error.code, {
        ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
        ...error.headers,
      });
    }
  };
}
