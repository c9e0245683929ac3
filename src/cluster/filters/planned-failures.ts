import type { InterceptedRequest, Interception } from "./interception.ts";

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
