import type {
  Container,
  LimitRangeItem,
  PersistentVolumeClaim,
  PodSpec,
  ResourceRequirements,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import type { AdmissionRequest } from "../registry/core.ts";
import { forbidden, listed } from "../contract/status-error.ts";
import type { ApiObject, Sent } from "../contract/api-object.ts";
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

const annotation = "kubernetes.io/limit-ranger";

/** Sets missing requests and limits of containers, and records in an annotation what was set. */
function setDefaults(pod: ApiObject, limits: readonly LimitRangeItem[]): void {
  const containerLimits = limits.filter(({ type }) => type === "Container");
  const merge = (field: "defaultRequest" | "default"): ResourceList =>
    Object.assign({}, ...containerLimits.map((limit) => limit[field]));
  const defaults = { request: merge("defaultRequest"), limit: merge("default") };
  const { containers = [], initContainers = [] } = pod["spec"] as Sent<PodSpec>;
  const changes = [
    ...containers.flatMap((container) => fillContainer(container, defaults, "container")),
    ...initContainers.flatMap((container) => fillContainer(container, defaults, "init container")),
  ];
  if (changes.length === 0) return;
  const note = `LimitRanger plugin set: ${changes.join("; ")}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: note };
}

/** Sets the missing requests and limits of a container. Returns a description of each change. */
function fillContainer(
  container: Sent<Container>,
  defaults: Readonly<Record<"request" | "limit", ResourceList>>,
  containerType: "container" | "init container",
): string[] {
  const resources = (container.resources ??= {});
  const changes: string[] = [];
  for (const kind of ["request", "limit"] as const) {
    const field = `${kind}s` as const;
    const missing = Object.keys(defaults[kind]).filter((name) => resources[field]?.[name] === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...defaults[kind], ...resources[field] };
    changes.push(`${missing.toSorted().join(", ")} ${kind} for ${containerType} ${container.name}`);
  }
  return changes;
}

interface Amounts {
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

/** One kind of bound of a LimitRange, with the real server's words for its violations. */
interface Bound {
  /** The field of a limit range with the bounds by resource. */
  readonly field: "min" | "max" | "maxLimitRequestRatio";
  readonly rule: (name: string) => string;
  /** The end of the message; undefined if the amounts are within the bound. */
  readonly violation: (amounts: Amounts, enforced: Quantity) => string | undefined;
}

const minimum: Bound = {
  field: "min",
  rule: (name) => `minimum ${name} usage`,
  violation({ request, limit }, enforced) {
    if (request === undefined) return ".  No request is specified";
    if (compareQuantities(request, enforced) < 0) return `, but request is ${request}`;
    if (limit === undefined || compareQuantities(limit, enforced) >= 0) return undefined;
    return `, but limit is ${limit}`;
  },
};

const maximum: Bound = {
  field: "max",
  rule: (name) => `maximum ${name} usage`,
  violation({ request, limit }, enforced) {
    if (limit === undefined) return ".  No limit is specified";
    if (compareQuantities(limit, enforced) > 0) return `, but limit is ${limit}`;
    return aboveMaximum(request, enforced);
  },
};

const ratio: Bound = {
  field: "maxLimitRequestRatio",
  rule: (name) => `${name} max limit to request ratio`,
  violation({ request = 0, limit = 0 }, enforced) {
    const [requested, limited] = [quantityToNumber(request), quantityToNumber(limit)];
    if (requested === 0) return ", but no request is specified or request is 0";
    if (limited === 0) return ", but no limit is specified or limit is 0";
    const provided = limited / requested;
    return provided > quantityToNumber(enforced)
      ? `, but provided ratio is ${provided.toFixed(6)}`
      : undefined;
  },
};

const bounds = [minimum, maximum, ratio];

/** Yields how a pod violates limits, in the real server's words. */
function* checkPodLimits(pod: PodSpec, limits: readonly LimitRangeItem[]): Generator<string> {
  for (const limit of limits) {
    if (limit.type === "Container") {
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        yield* checkResources(limit, container.resources ?? {}, bounds);
      }
    } else if (limit.type === "Pod") {
      const total = { requests: sumPodResources(pod, "requests"), limits: sumPodResources(pod, "limits") };
      yield* checkResources(limit, total, bounds);
    }
  }
}

const claimBounds: readonly Bound[] = [
  minimum,
  {
    ...maximum,
    violation: ({ request }, enforced) =>
      request === undefined ? ".  No request is specified" : aboveMaximum(request, enforced),
  },
];

/** Only the requests of a claim count. */
function* checkClaimLimits(requests: ResourceList, limits: readonly LimitRangeItem[]): Generator<string> {
  for (const limit of limits) {
    if (limit.type === "PersistentVolumeClaim") yield* checkResources(limit, { requests }, claimBounds);
  }
}

function* checkResources(
  limit: LimitRangeItem,
  { requests, limits }: ResourceRequirements,
  checkedBounds: readonly Bound[],
): Generator<string> {
  for (const { field, rule, violation } of checkedBounds) {
    for (const [name, enforced] of Object.entries(limit[field] ?? {})) {
      const problem = violation({ request: requests?.[name], limit: limits?.[name] }, enforced);
      if (problem !== undefined) yield `${rule(name)} per ${limit.type} is ${enforced}${problem}`;
    }
  }
}

function aboveMaximum(request: Quantity | undefined, enforced: Quantity): string | undefined {
  if (request === undefined || compareQuantities(request, enforced) <= 0) return undefined;
  return `, but request is ${request}`;
}

function isClaimWrite({ resource, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && resource.group === "" && resource.plural === "persistentvolumeclaims";
}

/** Denies the request because of the first limit range that it violates. */
function refuse(
  { resource, object, name }: AdmissionRequest,
  ranges: readonly LimitRangeItem[][],
  check: (limits: readonly LimitRangeItem[]) => Iterable<string>,
): void {
  for (const limits of ranges) {
    const problems = [...new Set(check(limits))];
    if (problems.length === 0) continue;
    throw forbidden(resource, object?.metadata.name ?? name, listed(problems));
  }
}
