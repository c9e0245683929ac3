import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { checkLabel, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { compareQuantities, isWholeQuantity, parseQuantity } from "@tsbuilder/apimachinery/quantity";
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  ruled,
} from "@tsbuilder/apimachinery/errors";
import { type Problems, ifSet, itemsOf, refused } from "../checks/problems.ts";
import { isFeatureOn } from "../../contract/version.ts";
import {
  type ResourceList,
  filterList,
  maxOfLists,
  onlyOf,
  sumContainerResources,
} from "../../quota/resource-list.ts";
import type { PodSpec, ResourceRequirements } from "./pod-spec/types.ts";

const hugePagesPrefix = "hugepages-";

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix);
}

/** Returns true for names without a domain and those in kubernetes.io. */
export function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Returns true for names of resources that drivers or users define, such as `example.com/gpu`. */
export function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

const countedResources = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const computeResources = ["cpu", "ephemeral-storage", "memory"];

const quotaResources = new Set([
  ...countedResources,
  ...computeResources,
  ...computeResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

/** Returns true for resources without a domain that a quota can limit. */
export function isCountedByQuota(name: string): boolean {
  return quotaResources.has(name) || isHugePages(name) || name.startsWith(`requests.${hugePagesPrefix}`);
}

/** Validates the name of any resource: `cpu`, `requests.storage`, `example.com/gpu`. */
export function* resourceNameProblems(field: string, name: string): Problems {
  const reasons = checkQualifiedName(name);
  yield* refused(field, name, reasons);
  if (reasons.length > 0 || name.includes("/") || name === "storage" || isCountedByQuota(name)) return;
  yield invalid(field, name, "must be a standard resource type or fully qualified");
}

/** Validates the name of a resource that containers use. */
export function* containerResourceNameProblems(field: string, name: string): Problems {
  yield* resourceNameProblems(field, name);
  if (!name.includes("/")) {
    if (!computeResources.includes(name) && !isHugePages(name)) {
      yield invalid(field, name, "must be a standard resource for containers");
    }
  } else if (!isNative(name) && !isExtended(name)) {
    yield invalid(field, name, "doesn't follow extended resource name standard");
  }
}

/** Returns whether a resource can be set for the whole pod, not only for containers. */
function isForPods(name: string): boolean {
  return name === "cpu" || name === "memory" || isHugePages(name);
}

/** Validates a quantity; those of extended and counted resources must be integers. */
export function* quantityProblems(field: string, name: string, quantity: Quantity): Problems {
  if (compareQuantities(quantity, "0") < 0) {
    yield invalid(field, quantity, "must be greater than or equal to 0");
  }
  if ((countedResources.has(name) || isExtended(name)) && !isWholeQuantity(quantity)) {
    yield invalid(field, quantity, "must be an integer");
  }
}

/** Validates the resource requirements of a container. */
export function containerResourceProblems(
  field: string,
  resources: ResourceRequirements,
  claims: ReadonlySet<string> = new Set(),
): Problems {
  return requirementProblems(field, resources, claims, containerResourceNameProblems);
}

/** Validates the resource requirements of a pod. */
export function* podResourceProblems(spec: PodSpec, claims: ReadonlySet<string>, field: string): Problems {
  const { resources, containers = [] } = spec;
  if (!resources) return;
  if (spec.os?.name === "windows") return yield forbidden(field, "may not be set for a windows pod");
  if (resources.claims) {
    yield forbidden(`${field}.claims`, "claims may not be set for Resources at pod-level");
  }
  yield* requirementProblems(field, resources, claims, podResourceNameProblems);
  for (const list of ["requests", "limits"] as const) {
    const sums = sumContainerResources(spec, list);
    for (const [name, amount] of Object.entries(resources[list] ?? {})) {
      if (list === "limits" && !isHugePages(name)) continue;
      const sum = sums[name] ?? "0";
      if (compareQuantities(sum, amount) <= 0) continue;
      const detail = `must be greater than or equal to aggregate container ${list} of ${sum}`;
      yield invalid(`${field}.${list}[${name}]`, amount, detail);
    }
  }
  for (const [each, container] of itemsOf(`${field}.containers`, containers)) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const most = resources.limits?.[name];
      if (most === undefined || compareQuantities(limit, most) <= 0) continue;
      yield invalid(`${each}[${name}].limits`, limit, `must be less than or equal to pod limits of ${most}`);
    }
  }
}

/** The name of a resource that can be set for a whole pod. */
function* podResourceNameProblems(field: string, name: string): Problems {
  const problems = [...resourceNameProblems(field, name)];
  yield* problems;
  if (problems.length > 0 || isForPods(name)) return;
  yield notSupported(field, name, ["cpu", "hugepages-", "memory"]);
}

/**
 * Completes the resources of a pod that has some itself. Huge pages are limited to what its containers may use, and requests
 * default to what these request, or else to the limits: until 1.37 only where there are limits. Since then a limit, too,
 * defaults to what the containers may use, if all of them are limited.
 */
export function defaultPodResources(spec: PodSpec): void {
  const { limits: sent = {}, requests: wanted = {} } = spec.resources ?? {};
  if (Object.keys({ ...sent, ...wanted }).length === 0) return;
  const isCompleted = arePodResourcesCompleted();
  const allowed = sumContainerResources(spec, "limits");
  const pages = filterList(allowed, (name) => isHugePages(name) && wanted[name] === undefined);
  let limits: ResourceList = { ...pages, ...sent };
  let requests: ResourceList = wanted;
  if (isCompleted || Object.keys(limits).length > 0) {
    const ofContainers = onlyOf(sumContainerResources(spec, "requests"), ["cpu", "memory"]);
    requests = { ...filterList(limits, isForPods), ...ofContainers, ...wanted };
  }
  if (isCompleted) {
    const { initContainers = [], containers = [], ephemeralContainers = [] } = spec;
    const all = [...initContainers, ...containers, ...ephemeralContainers];
    const isLimited = (name: string): boolean =>
      isForPods(name) && all.every(({ resources }) => resources?.limits?.[name] !== undefined);
    const due = filterList(requests, (name) => limits[name] === undefined && isLimited(name));
    limits = { ...limits, ...maxOfLists(due, onlyOf(allowed, Object.keys(due))) };
  }
  const amounts = Object.entries({ limits, requests }).filter(([, list]) => Object.keys(list).length > 0);
  spec.resources = { ...spec.resources, ...Object.fromEntries(amounts) };
}

/** Returns whether a pod's own resources are completed when it is created or resized; until 1.37, whenever it is decoded. */
export function arePodResourcesCompleted(): boolean {
  return isFeatureOn("PodLevelResourcesFixDefaulting");
}

function* requirementProblems(
  field: string,
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  podClaims: ReadonlySet<string>,
  checkName: (field: string, name: string) => Problems,
): Problems {
  for (const [list, amounts] of Object.entries({ limits, requests })) {
    for (const [name, quantity] of Object.entries(amounts)) {
      const at = `${field}.${list}[${name}]`;
      yield* checkName(at, name);
      yield* quantityProblems(at, name, quantity);
      if (list === "requests") yield* limitProblems(field, name, quantity, limits[name]);
      yield* pageProblems(at, name, quantity);
    }
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    yield forbidden(field, "HugePages require cpu or memory");
  }
  yield* claimNameProblems(`${field}.claims`, claims, podClaims);
}

/** Extended resources can't be overcommitted: the request must equal the limit. */
function* limitProblems(field: string, name: string, request: Quantity, limit?: Quantity): Problems {
  const shared = isNative(name) && !isHugePages(name);
  if (limit === undefined) {
    if (!shared) yield required(`${field}.limits`, "Limit must be set for non overcommitable resources");
    return;
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !shared) {
    yield invalid(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) {
    yield invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

/** A quantity of huge pages must be a multiple of the page size: `hugepages-2Mi: 3Mi` is invalid. */
function* pageProblems(field: string, name: string, quantity: Quantity): Problems {
  if (!isHugePages(name)) return;
  const size = name.slice(hugePagesPrefix.length);
  let isMultiple: boolean;
  try {
    isMultiple = bytesOf(quantity) % bytesOf(size) === 0n;
  } catch {
    isMultiple = false;
  }
  const detail = `${quantity} is not positive integer multiple of ${name}`;
  if (!isMultiple) yield* ruled("huge pages", [invalid(field, quantity, detail)]);
}

function bytesOf(quantity: Quantity): bigint {
  const { unscaled, scale } = parseQuantity(quantity);
  if (scale > 20) throw new RangeError(`${quantity} is more than any memory has`);
  return scale >= 0 ? unscaled * 10n ** BigInt(scale) : unscaled / 10n ** BigInt(-scale);
}

function* claimNameProblems(
  field: string,
  claims: NonNullable<ResourceRequirements["claims"]>,
  podClaims: ReadonlySet<string>,
): Problems {
  const seen = new Set<string>();
  for (const [at, { name = "", request = "" }] of itemsOf(field, claims)) {
    if (name === "") {
      yield required(at);
      continue;
    }
    const key = request === "" ? name : `${name}/${request}`;
    yield* ifSet(`${at}.request`, request, checkLabel);
    const overlaps = request === "" && [...seen].some((other) => other.startsWith(`${name}/`));
    if (seen.has(name) || overlaps) yield duplicate(at, name);
    else if (seen.has(key)) yield duplicate(at, key);
    seen.add(key);
    if (podClaims.has(name)) continue;
    const known = [...podClaims].toSorted();
    const rest = known.length === 0 ? " which is empty" : `: ${known.join(", ")}`;
    yield notFound(at, name, `must be one of the names in pod.spec.resourceClaims${rest}`);
  }
}
