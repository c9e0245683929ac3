import { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import { type PodNeeds, sumPodResources } from "../quota/pod-resources.ts";
import type { ResourceList } from "../quota/resource-list.ts";

/** One entry of a LimitRange. */
export interface Limits {
  readonly type: string;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

/** What a container, a pod or a claim asks for, and what it may have at most. */
interface Needs {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

/** Yields what of a pod is outside the limits, as the real server says it. */
export function* checkPodLimits(pod: PodNeeds, limits: readonly Limits[]): Generator<string> {
  for (const limit of limits) {
    if (limit.type === "Container") {
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        yield* checkNeeds(limit, container.resources ?? {});
      }
    } else if (limit.type === "Pod") {
      yield* checkNeeds(limit, {
        requests: sumPodResources(pod, "requests"),
        limits: sumPodResources(pod, "limits"),
      });
    }
  }
}

function* checkNeeds(limit: Limits, needs: Needs): Generator<string> {
  for (const [name, enforced] of Object.entries(limit.min ?? {})) {
    yield* checkMinimum(`minimum ${name} usage per ${limit.type} is ${enforced}`, name, enforced, needs);
  }
  for (const [name, enforced] of Object.entries(limit.max ?? {})) {
    yield* checkMaximum(`maximum ${name} usage per ${limit.type} is ${enforced}`, name, enforced, needs);
  }
  for (const [name, enforced] of Object.entries(limit.maxLimitRequestRatio ?? {})) {
    yield* checkRatio(
      `${name} max limit to request ratio per ${limit.type} is ${enforced}`,
      name,
      enforced,
      needs,
    );
  }
}

function* checkMinimum(rule: string, name: string, enforced: string, needs: Needs): Generator<string> {
  const { request, limit } = amountsOf(needs, name);
  if (request === undefined) yield `${rule}.  No request is specified`;
  else if (compareQuantities(request, enforced) < 0) yield `${rule}, but request is ${request}`;
  else if (limit !== undefined && compareQuantities(limit, enforced) < 0)
    yield `${rule}, but limit is ${limit}`;
}

function* checkMaximum(rule: string, name: string, enforced: string, needs: Needs): Generator<string> {
  const { request, limit } = amountsOf(needs, name);
  if (limit === undefined) yield `${rule}.  No limit is specified`;
  else if (compareQuantities(limit, enforced) > 0) yield `${rule}, but limit is ${limit}`;
  else if (request !== undefined && compareQuantities(request, enforced) > 0) {
    yield `${rule}, but request is ${request}`;
  }
}

function* checkRatio(rule: string, name: string, enforced: string, needs: Needs): Generator<string> {
  const { request, limit } = amountsOf(needs, name);
  if (request === undefined || quantityToNumber(request) === 0) {
    yield `${rule}, but no request is specified or request is 0`;
  } else if (limit === undefined || quantityToNumber(limit) === 0) {
    yield `${rule}, but no limit is specified or limit is 0`;
  } else {
    const ratio = quantityToNumber(limit) / quantityToNumber(request);
    if (ratio > quantityToNumber(enforced)) yield `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
  }
}

/** Claims have no limits, only what they ask for. */
export function* checkClaimLimits(requests: ResourceList, limits: readonly Limits[]): Generator<string> {
  for (const { type, min = {}, max = {} } of limits) {
    if (type !== "PersistentVolumeClaim") continue;
    for (const [name, enforced] of Object.entries(min)) {
      yield* checkMinimum(`minimum ${name} usage per ${type} is ${enforced}`, name, enforced, { requests });
    }
    for (const [name, enforced] of Object.entries(max)) {
      const request = requests[name];
      const rule = `maximum ${name} usage per ${type} is ${enforced}`;
      if (request === undefined) yield `${rule}.  No request is specified`;
      else if (compareQuantities(request, enforced) > 0) yield `${rule}, but request is ${request}`;
    }
  }
}

function amountsOf({ requests, limits }: Needs, name: string) {
  return { request: requests?.[name], limit: limits?.[name] };
}
