import type { LimitRangeItem, PodSpec, ResourceRequirements } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import { sumPodResources } from "../quota/pod-resources.ts";
import type { ResourceList } from "../quota/resource-list.ts";

/** Yields how a pod violates limits, in the real server's words. */
export function* checkPodLimits(pod: PodSpec, limits: readonly LimitRangeItem[]): Generator<string> {
  for (const limit of limits) {
    if (limit.type === "Container") {
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        yield* checkResources(limit, container.resources ?? {});
      }
    } else if (limit.type === "Pod") {
      yield* checkResources(limit, {
        requests: sumPodResources(pod, "requests"),
        limits: sumPodResources(pod, "limits"),
      });
    }
  }
}

function* checkResources(limit: LimitRangeItem, resources: ResourceRequirements): Generator<string> {
  for (const [name, enforced] of Object.entries(limit.min ?? {})) {
    yield* checkMinimum(`minimum ${name} usage per ${limit.type} is ${enforced}`, name, enforced, resources);
  }
  for (const [name, enforced] of Object.entries(limit.max ?? {})) {
    yield* checkMaximum(`maximum ${name} usage per ${limit.type} is ${enforced}`, name, enforced, resources);
  }
  for (const [name, enforced] of Object.entries(limit.maxLimitRequestRatio ?? {})) {
    yield* checkRatio(
      `${name} max limit to request ratio per ${limit.type} is ${enforced}`,
      name,
      enforced,
      resources,
    );
  }
}

function* checkMinimum(
  rule: string,
  name: string,
  enforced: Quantity,
  resources: ResourceRequirements,
): Generator<string> {
  const { request, limit } = amountsOf(resources, name);
  if (request === undefined) yield `${rule}.  No request is specified`;
  else if (compareQuantities(request, enforced) < 0) yield `${rule}, but request is ${request}`;
  else if (limit !== undefined && compareQuantities(limit, enforced) < 0)
    yield `${rule}, but limit is ${limit}`;
}

function* checkMaximum(
  rule: string,
  name: string,
  enforced: Quantity,
  resources: ResourceRequirements,
): Generator<string> {
  const { request, limit } = amountsOf(resources, name);
  if (limit === undefined) yield `${rule}.  No limit is specified`;
  else if (compareQuantities(limit, enforced) > 0) yield `${rule}, but limit is ${limit}`;
  else if (request !== undefined && compareQuantities(request, enforced) > 0) {
    yield `${rule}, but request is ${request}`;
  }
}

function* checkRatio(
  rule: string,
  name: string,
  enforced: Quantity,
  resources: ResourceRequirements,
): Generator<string> {
  const { request, limit } = amountsOf(resources, name);
  if (request === undefined || quantityToNumber(request) === 0) {
    yield `${rule}, but no request is specified or request is 0`;
  } else if (limit === undefined || quantityToNumber(limit) === 0) {
    yield `${rule}, but no limit is specified or limit is 0`;
  } else {
    const ratio = quantityToNumber(limit) / quantityToNumber(request);
    if (ratio > quantityToNumber(enforced)) yield `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
  }
}

/** Only the requests of a claim count. */
export function* checkClaimLimits(
  requests: ResourceList,
  limits: readonly LimitRangeItem[],
): Generator<string> {
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

function amountsOf({ requests, limits }: ResourceRequirements, name: string) {
  return { request: requests?.[name], limit: limits?.[name] };
}
