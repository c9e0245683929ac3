import { type Filter, type RequestContext, preferredReply } from "../http/request-context.ts";
import { internalError, StatusError } from "../contract/status-error.ts";

/** Turns errors into Status responses. Errors other than StatusErrors are bugs: reported, and answered with 500. */
export function errorsFilter(report: (error: unknown) => void): Filter {
  return async (context, next) => {
    try {
      return await next();
    } catch (thrown) {
      const error = statusErrorOf(thrown);
      if (error !== thrown && !isDisconnect(context, thrown)) report(failedRequest(context, thrown));
      const { retryAfterSeconds } = error.status.details ?? {};
      const headers = {
        ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
        ...error.headers,
      };
      return preferredReply(context, error.status, error.code, headers);
    }
  };
}

/** Adds the failed request to an error: method, path and user, but never a body. */
export function failedRequest({ method, request, user }: RequestContext, cause: unknown): Error {
  return new Error(`${method} ${request.url} of ${user.name} failed`, { cause });
}

/** Returns true if a request failed because its client has disconnected, which is no failure of the server. */
export function isDisconnect({ request, signal }: RequestContext, thrown: unknown): boolean {
  return signal.aborted || request.errored === thrown;
}

/** The real server's message for a panic. */
const panicMessage = "This request caused apiserver to panic. Look in the logs for details.";

/**
 * The error that the client gets: a StatusError as it is, any other error as an internal one. System errors, such as a
 * full disk, are shown to the client; bugs are only reported to `onError`.
 */
export function statusErrorOf(thrown: unknown): StatusError {
  if (thrown instanceof StatusError) return thrown;
  const isSystemError = thrown instanceof Error && "syscall" in thrown;
  return internalError(isSystemError ? thrown.message : panicMessage);
}
