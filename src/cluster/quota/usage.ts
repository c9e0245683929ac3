import { qualifiedName } from "../contract/status-error.ts";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type PodNeeds, sumPodResources } from "./pod-resources.ts";
import { addLists, type ResourceList } from "./resource-list.ts";

/** A resource as quotas name it. */
interface Counted {
  readonly group: string;
  readonly plural: string;
}

interface Pod extends KubernetesObject {
  readonly spec: PodNeeds;
  readonly status?: { readonly phase?: string };
}

interface Service extends KubernetesObject {
  readonly spec: {
    readonly type?: string;
    readonly allocateLoadBalancerNodePorts?: boolean;
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

interface Claim extends KubernetesObject {
  readonly spec: {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: ResourceList };
  };
}

/** What an object takes of the quotas of its namespace, by the names under which quotas limit it. */
export function usageOf(resource: Counted, object: KubernetesObject, now: number): ResourceList {
  const counts = { [countName(resource)]: "1" };
  if (resource.group !== "") return counts;
  switch (resource.plural) {
    case "pods":
      return isOver(object as Pod, now) ? counts : { ...counts, ...podUsage((object as Pod).spec) };
    case "services":
      return { ...counts, ...serviceUsage(object as Service) };
    case "persistentvolumeclaims":
      return { ...counts, ...claimUsage(object as Claim) };
    default:
      return oldCounts.has(resource.plural) ? { ...counts, [resource.plural]: "1" } : counts;
  }
}

/** Which of the names in a quota a resource's objects count for. */
export function namesFor(resource: Counted, names: readonly string[]): string[] {
  const count = countName(resource);
  return names.filter(
    (name) => name === count || (resource.group === "" && isOwnName(resource.plural, name)),
  );
}

function countName({ group, plural }: Counted): string {
  return `count/${qualifiedName({ group, plural })}`;
}

/** Kinds that were counted before any kind could be. */
const oldCounts: ReadonlySet<string> = new Set([
  "configmaps",
  "secrets",
  "replicationcontrollers",
  "resourcequotas",
]);
const serviceNames: ReadonlySet<string> = new Set([
  "services",
  "services.loadbalancers",
  "services.nodeports",
]);
const claimName = /^(.+\.storageclass\.storage\.k8s\.io\/)?(persistentvolumeclaims|requests\.storage)$/;
const podName =
  /^(pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.+|requests\..+\/.+)$/;

function isOwnName(plural: string, name: string): boolean {
  if (plural === "pods") return podName.test(name);
  if (plural === "services") return serviceNames.has(name);
  if (plural === "persistentvolumeclaims") return claimName.test(name);
  return oldCounts.has(plural) && name === plural;
}

/** A pod that has ended, or that should have been gone by now, needs nothing any more. */
function isOver({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return false;
  return now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage(spec: PodNeeds): ResourceList {
  return {
    pods: "1",
    ...computeUsage(sumPodResources(spec, "requests"), sumPodResources(spec, "limits")),
  };
}

/** What pods and containers ask for, by its old names too: `cpu` is `requests.cpu`. */
export function computeUsage(requests: ResourceList = {}, limits: ResourceList = {}): ResourceList {
  const usage: Record<string, string> = {};
  for (const [name, amount] of Object.entries(requests)) {
    const isOwn = ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
    if (isOwn) usage[name] = amount;
    if (isOwn || name.includes("/")) usage[`requests.${name}`] = amount;
  }
  for (const name of ["cpu", "memory", "ephemeral-storage"]) {
    if (limits[name] !== undefined) usage[`limits.${name}`] = limits[name];
  }
  return usage;
}

function serviceUsage({ spec }: Service): ResourceList {
  const { type, ports = [], allocateLoadBalancerNodePorts = true } = spec;
  const isBalanced = type === "LoadBalancer";
  const isOpen = type === "NodePort" || (isBalanced && allocateLoadBalancerNodePorts);
  const opened = isBalanced ? ports.filter(({ nodePort }) => nodePort).length : 0;
  return {
    services: "1",
    "services.loadbalancers": isBalanced ? "1" : "0",
    "services.nodeports": String(isOpen ? ports.length : opened),
  };
}

function claimUsage({ spec }: Claim): ResourceList {
  const storage = spec.resources?.requests?.["storage"];
  const usage = {
    persistentvolumeclaims: "1",
    ...(storage !== undefined && { "requests.storage": storage }),
  };
  if (!spec.storageClassName) return usage;
  const prefix = `${spec.storageClassName}.storageclass.storage.k8s.io/`;
  const ofClass = Object.entries(usage).map(([name, amount]) => [prefix + name, amount] as const);
  return addLists(usage, Object.fromEntries(ofClass));
}
