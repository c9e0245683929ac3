import type { Clock } from "@tsbuilder/apimachinery/time";
import { conflict, forbidden, internalError, qualifiedName, StatusError } from "../contract/status-error.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";

/** A request that may be made to fail. */
export interface InterceptedRequest {
  readonly user: string;
  readonly verb: string;
  /** Plural and group, and the subresource: `statefulsets.apps`, `pods/log`; empty for other paths. */
  readonly resource: string;
}

/** An error that a request gets instead of an answer, or milliseconds that it waits for its answer. */
export type Interception = { readonly code: 403 | 409 | 500 | 503 } | { readonly delay: number };

/** Decides about each allowed request; undefined lets it pass. */
export type Intercept = (request: InterceptedRequest) => Interception | undefined;

/** Has requests fail or wait, to see what clients make of it. */
export function interceptionFilter(intercept: Intercept, clock: Clock): Filter {
  return async (context, next) => {
    const found = intercept(describe(context));
    if (!found) return next();
    if ("code" in found) throw failure(context, found.code);
    await passed(clock, found.delay, context.signal);
    return next();
  };
}

function describe({ user, info }: RequestContext): InterceptedRequest {
  const name = qualifiedName({ group: info.group, plural: info.resource });
  const resource = info.subresource === "" ? name : `${name}/${info.subresource}`;
  return { user: user.name, verb: info.verb, resource };
}

const why = "tsbuilder was asked to let it fail";

function failure({ info }: RequestContext, code: 403 | 409 | 500 | 503): StatusError {
  const subject = { group: info.group, plural: info.resource, kind: "" };
  switch (code) {
    case 403:
      return forbidden(subject, info.name, why);
    case 409:
      return conflict(subject, info.name);
    case 500:
      return internalError(why);
    case 503:
      return new StatusError(
        503,
        "ServiceUnavailable",
        `the server is currently unable to handle the request: ${why}`,
      );
  }
}

/** Resolves after some time, or when the client is gone. */
function passed(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(resolve, delay);
    signal.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}
