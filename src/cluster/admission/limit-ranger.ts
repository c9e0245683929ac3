import type {
  Container,
  LimitRangeItem,
  PersistentVolumeClaim,
  PodSpec,
  ResourceRequirements,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import type { Sent } from "../contract/sent.ts";
import type { AdmissionRequest } from "../registry/core.ts";
import { forbidden } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import { type ResourceList, sumPodResources } from "../quota/resource-list.ts";
import { type AdmissionPlugin, isNewPod } from "./admission.ts";

/** Sets default requests and limits of containers, and denies pods and claims outside a namespace's limit ranges. */
export function limitRanger(store: Store): AdmissionPlugin {
  const limitsOf = (namespace: string): LimitRangeItem[][] =>
    store
      .collection("limitranges")
      .list(`${namespace}/`)
      .map(({ object }) => (object["spec"] as { limits: LimitRangeItem[] | null }).limits ?? []);
  return {
    name: "LimitRanger",
    mutate(request) {
      if (!isNewPod(request)) return undefined;
      for (const limits of limitsOf(request.namespace)) setDefaults(request.object, limits);
      return request.object;
    },
    validate(request) {
      const { object, subresource } = request;
      if (subresource !== "" || !object || object.metadata.deletionTimestamp) return;
      if (isNewPod(request)) {
        const pod = object["spec"] as PodSpec;
        refuse(request, limitsOf(request.namespace), (limits) => checkPodLimits(pod, limits));
      } else if (isClaimWrite(request)) {
        const { requests = {} } = (object as PersistentVolumeClaim).spec?.resources ?? {};
        refuse(request, limitsOf(request.namespace), (limits) => checkClaimLimits(requests, limits));
      }
    },
  };
}

/** Yields how a pod violates limits, in the real server's words. */
function* checkPodLimits(pod: PodSpec, limits: readonly LimitRangeItem[]): Generator<string> {
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
function* checkClaimLimits(requests: ResourceList, limits: readonly LimitRangeItem[]): Generator<string> {
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

function isClaimWrite({ resource, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && resource.group === "" && resource.plural === "persistentvolumeclaims";
}

/** Denies the request for the first range that it violates. */
function refuse(
  { resource, object, name }: AdmissionRequest,
  ranges: readonly LimitRangeItem[][],
  check: (limits: readonly LimitRangeItem[]) => Iterable<string>,
): void {
  for (const limits of ranges) {
    const problems = [...new Set(check(limits))];
    if (problems.length === 0) continue;
    const reason = problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
    throw forbidden(resource, object?.metadata.name ?? name, reason);
  }
}

const annotation = "kubernetes.io/limit-ranger";

/** Sets missing requests and limits of containers, and records in an annotation what was set. */
function setDefaults(pod: ApiObject, limits: readonly LimitRangeItem[]): void {
  const own = limits.filter(({ type }) => type === "Container");
  const requests: ResourceList = Object.assign({}, ...own.map((limit) => limit.defaultRequest));
  const maxima: ResourceList = Object.assign({}, ...own.map((limit) => limit.default));
  const { containers = [], initContainers = [] } = pod["spec"] as Sent<PodSpec>;
  const changes = [
    ...containers.flatMap((container) => fillContainer(container, requests, maxima, "container")),
    ...initContainers.flatMap((container) => fillContainer(container, requests, maxima, "init container")),
  ];
  if (changes.length === 0) return;
  const { annotations } = pod.metadata;
  pod.metadata.annotations = {
    ...annotations,
    [annotation]: `LimitRanger plugin set: ${changes.join("; ")}`,
  };
}

function fillContainer(
  container: Sent<Container>,
  requests: ResourceList,
  limits: ResourceList,
  what: string,
): string[] {
  const resources = (container.resources ??= {});
  const changes: string[] = [];
  for (const [kind, defaults] of [
    ["request", requests],
    ["limit", limits],
  ] as const) {
    const field = `${kind}s` as const;
    const missing = Object.keys(defaults).filter((name) => resources[field]?.[name] === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...defaults, ...resources[field] };
    changes.push(`${missing.toSorted().join(", ")} ${kind} for ${what} ${container.name}`);
  }
  return changes;
}
