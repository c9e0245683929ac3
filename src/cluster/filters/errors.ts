import { prefersYAML } from "../http/accept.ts";
import { jsonReply, yamlReply } from "../http/reply.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { internalError, StatusError } from "../contract/status-error.ts";

/** Turns thrown errors into Status responses; errors that are not StatusErrors are bugs and answered with 500. */
export function errorsFilter(report: (error: unknown) => void): Filter {
  return async (context, next) => {
    try {
      return await next();
    } catch (thrown) {
      if (!(thrown instanceof StatusError) && !context.signal.aborted) report(failedRequest(context, thrown));
      const error = thrown instanceof StatusError ? thrown : unexpectedError(thrown);
      const { retryAfterSeconds } = error.status.details ?? {};
      const headers = {
        ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
        ...error.headers,
      };
      const reply = prefersYAML(context.request.headers.accept) ? yamlReply : jsonReply;
      return reply(error.status, error.code, headers);
    }
  };
}

/** Adds the failed request to an error. */
export function failedRequest({ method, request }: RequestContext, cause: unknown): Error {
  return new Error(`${method} ${request.url ?? ""} failed`, { cause });
}

/** System errors, such as a full disk, are shown to the client; bugs are only reported to `onError`. */
export function unexpectedError(thrown: unknown): StatusError {
  const isSystems = thrown instanceof Error && "syscall" in thrown;
  return internalError(isSystems ? thrown.message : panicked);
}

const panicked = "This request caused apiserver to panic. Look in the logs for details.";
