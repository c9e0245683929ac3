import type { Clock } from "@tsbuilder/apimachinery/time";
import { StatusError, conflict, forbidden, internalError, qualifiedName } from "../contract/status-error.ts";
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

/** What happens to the next requests with a verb for a resource. */
export interface PlannedFailure {
  /** `create`; `*` for any. */
  readonly verb: string;
  /** `statefulsets.apps`, `pods/status`; `statefulsets` for those of each group; `*` for any but Leases, which are renewed all the time. */
  readonly resource: string;
  readonly outcome: Interception;
  /** How many requests are left. */
  readonly times: number;
}

/** A request, and what it met. */
export type MetFailure = Pick<InterceptedRequest, "verb" | "resource"> & Interception;

/**
 * The failures that the next requests meet, the oldest plan first. Whoever starts a cluster gives them its requests:
 * `intercept: (request) => (request.user === "operator" ? failures.take(request) : undefined)`.
 */
export class PlannedFailures {
  readonly #onMet: ((failure: MetFailure) => void) | undefined;
  #plans: readonly PlannedFailure[] = [];

  /** Tells of each request that meets one. */
  constructor(onMet?: (failure: MetFailure) => void) {
    this.#onMet = onMet;
  }

  /** What requests have not met yet. */
  get plans(): readonly PlannedFailure[] {
    return this.#plans;
  }

  /** Replaces what is planned for the same requests; no times end it. */
  plan(failure: PlannedFailure): void {
    const others = this.#plans.filter(
      ({ verb, resource }) => verb !== failure.verb || resource !== failure.resource,
    );
    this.#plans = failure.times > 0 ? [...others, failure] : others;
  }

  /** What happens to a request, which counts as one of the planned times. */
  take({ verb, resource }: Pick<InterceptedRequest, "verb" | "resource">): Interception | undefined {
    const found = this.#plans.find((plan) => concerns(plan, { verb, resource }));
    if (!found) return undefined;
    this.#plans = this.#plans.flatMap((plan) => (plan === found ? less(plan) : plan));
    this.#onMet?.({ verb, resource, ...found.outcome });
    return found.outcome;
  }
}

const leases = "leases.coordination.k8s.io";

function concerns(
  plan: PlannedFailure,
  { verb, resource }: Pick<InterceptedRequest, "verb" | "resource">,
): boolean {
  const isSameVerb = plan.verb === "*" || plan.verb === verb;
  const isAny = plan.resource === "*" && resource !== "" && resource !== leases;
  return isSameVerb && (isAny || plan.resource === resource || plan.resource === withoutGroup(resource));
}

/** `mysqls/status` of `mysqls.apps.example.com/status`. */
function withoutGroup(resource: string): string {
  return resource.replace(/\.[^/]*/u, "");
}

function less(plan: PlannedFailure): PlannedFailure[] {
  return plan.times > 1 ? [{ ...plan, times: plan.times - 1 }] : [];
}
