import { jsonReply } from "../http/reply.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { internalError, StatusError } from "../contract/status-error.ts";

/** Turns what the chain throws into a Status; what is no StatusError was not foreseen and answers 500. */
export function errorsFilter(report: (error: unknown) => void): Filter {
  return async (context, next) => {
    try {
      return await next();
    } catch (thrown) {
      if (!(thrown instanceof StatusError) && !context.signal.aborted) report(failedRequest(context, thrown));
      const error = thrown instanceof StatusError ? thrown : unforeseen(thrown);
      const { retryAfterSeconds } = error.status.details ?? {};
      return jsonReply(error.status, error.code, {
        ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
        ...error.headers,
      });
    }
  };
}

/** Says which request it was that failed. */
export function failedRequest({ method, request }: RequestContext, cause: unknown): Error {
  return new Error(`${method} ${request.url ?? ""} failed`, { cause });
}

/** What the system says, such as of a full disk, is for the client too; what JavaScript says is for us. */
export function unforeseen(thrown: unknown): StatusError {
  const isSystems = thrown instanceof Error && "syscall" in thrown;
  return internalError(isSystems ? thrown.message : panicked);
}

const panicked = "This request caused apiserver to panic. Look in the logs for details.";
