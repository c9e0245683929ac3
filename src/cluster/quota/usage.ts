// How much quota objects use, for admission and the ResourceQuota controller. `resource-list.ts` has the arithmetic.

import type {
  PersistentVolumeClaim,
  Pod,
  PodAffinity,
  PodAntiAffinity,
  PodSpec,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
  Service,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject, Quantity } from "@tsbuilder/apimachinery/meta";
import { meetsExpression } from "../control-loop/matches-labels.ts";
import { qualifiedName } from "../contract/status-error.ts";
import type { Stored } from "../contract/api-object.ts";
import { type ResourceList, addLists, sumPodResources } from "./resource-list.ts";

/** The names of a resource that quotas limit. */
interface QuotaResource {
  readonly group: string;
  readonly plural: string;
}

/** Resources that quotas can limit by their plural as well as by `count/<plural>`. */
const countedByPlural = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);

/** Returns the usage of an object, by the names that quotas limit. */
export function usageOf(resource: QuotaResource, object: KubernetesObject, now: number): ResourceList {
  const counts = { [countName(resource)]: "1" };
  if (resource.group !== "") return counts;
  switch (resource.plural) {
    case "pods":
      return usesQuota(object as Stored<Pod>, now)
        ? { ...counts, ...podUsage(object as Stored<Pod>) }
        : counts;
    case "services":
      return { ...counts, ...serviceUsage(object as Stored<Service>) };
    case "persistentvolumeclaims":
      return { ...counts, ...claimUsage(object as Stored<PersistentVolumeClaim>) };
    default:
      return countedByPlural.has(resource.plural) ? { ...counts, [resource.plural]: "1" } : counts;
  }
}

/** Filters the names in a quota: those towards which objects of a resource count. */
export function namesFor(resource: QuotaResource, names: readonly string[]): string[] {
  const count = countName(resource);
  return names.filter((name) => name === count || (resource.group === "" && isNameOf(resource.plural, name)));
}

function countName({ group, plural }: QuotaResource): string {
  return `count/${qualifiedName({ group, plural })}`;
}

const serviceNames = new Set(["services", "services.loadbalancers", "services.nodeports"]);
const claimNamePattern =
  /^(.+\.storageclass\.storage\.k8s\.io\/)?(persistentvolumeclaims|requests\.storage)$/;
const podNamePattern =
  /^(pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.+|requests\..+\/.+)$/;

function isNameOf(plural: string, name: string): boolean {
  if (plural === "pods") return podNamePattern.test(name);
  if (plural === "services") return serviceNames.has(name);
  if (plural === "persistentvolumeclaims") return claimNamePattern.test(name);
  return countedByPlural.has(plural) && name === plural;
}

/** Returns false for pods that use no quota: they have finished, or their grace period is over. */
function usesQuota({ status, metadata }: Stored<Pod>, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage({ spec }: { readonly spec: PodSpec }): ResourceList {
  return {
    pods: "1",
    ...computeUsage(sumPodResources(spec, "requests"), sumPodResources(spec, "limits")),
  };
}

/** Returns requests and limits by the names in quotas. A request has two names: `cpu` and `requests.cpu`. */
export function computeUsage(requests: ResourceList = {}, limits: ResourceList = {}): ResourceList {
  const usage: Record<string, Quantity> = {};
  for (const [name, amount] of Object.entries(requests)) {
    const isBuiltIn = ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
    if (isBuiltIn) usage[name] = amount;
    if (isBuiltIn || name.includes("/")) usage[`requests.${name}`] = amount;
  }
  for (const name of ["cpu", "memory", "ephemeral-storage"]) {
    if (limits[name] !== undefined) usage[`limits.${name}`] = limits[name];
  }
  return usage;
}

function serviceUsage({ spec }: Stored<Service>): ResourceList {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = spec;
  const isBalanced = type === "LoadBalancer";
  const allocatesAll = type === "NodePort" || (isBalanced && allocateLoadBalancerNodePorts);
  const requestedPorts = isBalanced ? ports.filter(({ nodePort }) => nodePort).length : 0;
  return {
    services: "1",
    "services.loadbalancers": isBalanced ? "1" : "0",
    "services.nodeports": String(allocatesAll ? ports.length : requestedPorts),
  };
}

function claimUsage({ spec }: Stored<PersistentVolumeClaim>): ResourceList {
  const storage = spec.resources?.requests?.["storage"];
  const storageUsage = storage !== undefined && { "requests.storage": storage };
  const usage = { persistentvolumeclaims: "1", ...storageUsage };
  if (!spec.storageClassName) return usage;
  const prefix = `${spec.storageClassName}.storageclass.storage.k8s.io/`;
  const classUsage = Object.entries(usage).map(([name, amount]) => [prefix + name, amount] as const);
  return addLists(usage, Object.fromEntries(classUsage));
}

/** Returns true if an object is in all scopes of a quota. Scopes contain only pods. */
export function isInScope({ spec }: ResourceQuota, plural: string, object: KubernetesObject): boolean {
  const scopes: ScopedResourceSelectorRequirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return scopes.every((scope) => plural === "pods" && matchesScope(scope, object as Stored<Pod>));
}

function matchesScope(scope: ScopedResourceSelectorRequirement, { spec, status }: Stored<Pod>): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return status?.qosClass === "BestEffort";
    case "NotBestEffort":
      return status?.qosClass !== "BestEffort";
    case "PriorityClass":
      return meetsExpression(scope, spec.priorityClassName || undefined);
    case "CrossNamespacePodAffinity":
      return [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity].some(isCrossNamespace);
    default:
      return false;
  }
}

/** Returns true if a required or preferred affinity selects pods of other namespaces. */
function isCrossNamespace(affinity: PodAffinity | PodAntiAffinity | undefined): boolean {
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = [...required, ...preferred.map(({ podAffinityTerm }) => podAffinityTerm)];
  return terms.some(
    ({ namespaces, namespaceSelector }) => namespaces?.length || namespaceSelector !== undefined,
  );
}
