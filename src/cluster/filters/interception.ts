import type { Clock } from "@tsbuilder/apimachinery/time";
import { StatusError, conflict, forbidden, internalError, qualifiedName } from "../contract/status-error.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";

/** A request as `intercept` sees it. */
export interface InterceptedRequest {
  readonly user: string;
  readonly verb: string;
  /** Plural and group, and the subresource: `statefulsets.apps`, `pods/log`; empty for other paths. */
  readonly resource: string;
}

/** The error of a request instead of its response, or the milliseconds by which its response is delayed. */
export type Interception = { readonly code: 403 | 409 | 500 | 503 } | { readonly delay: number };

/** Decides about each authorized request; undefined lets it pass. */
export type Intercept = (request: InterceptedRequest) => Interception | undefined;

/** Makes requests fail or wait, to test clients. */
export function interceptionFilter(intercept: Intercept, clock: Clock): Filter {
  return async (context, next) => {
    const interception = intercept(describeRequest(context));
    if (!interception) return next();
    if ("code" in interception) throw errorOf(context, interception.code);
    await waitFor(clock, interception.delay, context.signal);
    return next();
  };
}

function describeRequest({ user, info }: RequestContext): InterceptedRequest {
  const name = qualifiedName({ group: info.group, plural: info.resource });
  const resource = info.subresource === "" ? name : `${name}/${info.subresource}`;
  return { user: user.name, verb: info.verb, resource };
}

const cause = "tsbuilder was asked to let it fail";
const unavailable = "the server is currently unable to handle the request";

function errorOf({ info }: RequestContext, code: 403 | 409 | 500 | 503): StatusError {
  const subject = { group: info.group, plural: info.resource, kind: "" };
  switch (code) {
    case 403:
      return forbidden(subject, info.name, cause);
    case 409:
      return conflict(subject, info.name);
    case 500:
      return internalError(cause);
    case 503:
      return new StatusError(503, "ServiceUnavailable", `${unavailable}: ${cause}`);
  }
}

/** Resolves after a delay, or when the client disconnects. */
function waitFor(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.setTimer(resolve, delay);
    signal.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}

/** A failure or delay that is planned for the next requests with a verb for a resource. */
export interface PlannedFailure {
  /** `create`; `*` for any. */
  readonly verb: string;
  /** `statefulsets.apps`, `pods/status`; `statefulsets` in any group; `*` for all but the frequent Leases. */
  readonly resource: string;
  readonly outcome: Interception;
  /** The number of requests that it still applies to. */
  readonly times: number;
}

/** A request, and the planned failure that it met. */
export type MetFailure = Pick<InterceptedRequest, "verb" | "resource"> & Interception;

/**
 * The failures planned for the next requests, the oldest plan first. Pass the requests of a cluster to it:
 * `intercept: (request) => (request.user === "operator" ? failures.take(request) : undefined)`.
 */
export class PlannedFailures {
  readonly #onMet: ((failure: MetFailure) => void) | undefined;
  #plans: readonly PlannedFailure[] = [];

  /** Calls `onMet` for each request that meets a planned failure. */
  constructor(onMet?: (failure: MetFailure) => void) {
    this.#onMet = onMet;
  }

  /** The failures that requests have not met yet. */
  get plans(): readonly PlannedFailure[] {
    return this.#plans;
  }

  /** Replaces the plan for the same verb and resource; `times: 0` removes it. */
  plan(failure: PlannedFailure): void {
    const others = this.#plans.filter(
      ({ verb, resource }) => verb !== failure.verb || resource !== failure.resource,
    );
    this.#plans = failure.times > 0 ? [...others, failure] : others;
  }

  /** Returns the failure that a request meets, and counts it as one of the planned times. */
  take({ verb, resource }: Pick<InterceptedRequest, "verb" | "resource">): Interception | undefined {
    const failure = this.#plans.find((plan) => appliesTo(plan, { verb, resource }));
    if (!failure) return undefined;
    this.#plans = this.#plans.flatMap((plan) => (plan === failure ? withOneLess(plan) : plan));
    this.#onMet?.({ verb, resource, ...failure.outcome });
    return failure.outcome;
  }
}

const leases = "leases.coordination.k8s.io";

function appliesTo(plan: PlannedFailure, { verb, resource }: Pick<InterceptedRequest, "verb" | "resource">) {
  const isSameVerb = plan.verb === "*" || plan.verb === verb;
  const isAny = plan.resource === "*" && resource !== "" && resource !== leases;
  return isSameVerb && (isAny || plan.resource === resource || plan.resource === withoutGroup(resource));
}

/** Drops the group: `mysqls.apps.example.com/status` becomes `mysqls/status`. */
function withoutGroup(resource: string): string {
  return resource.replace(/\.[^/]*/u, "");
}

/** The plan after a request has met it; none if that was its last time. */
function withOneLess(plan: PlannedFailure): PlannedFailure[] {
  return plan.times > 1 ? [{ ...plan, times: plan.times - 1 }] : [];
}
