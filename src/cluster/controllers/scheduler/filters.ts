import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import { fitsNode } from "../../kinds/core/node/node-fit.ts";
import { untoleratedTaints } from "../../kinds/core/node/taints.ts";
import { type ResourceList, sumPodResources } from "../../quota/resource-list.ts";
import type { Stored } from "../../contract/api-object.ts";

/** A node, and the pods that take room on it. */
export interface Host {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Why a pod may not run on a node. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** True if the refusal remains when pods of lower priority leave the node. */
  readonly isLasting: boolean;
}

/** The state of the cluster that the decision about a pod depends on. */
export interface Snapshot {
  readonly hosts: readonly Host[];
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined;
}

/** Runs the filters for a pod and a node. Returns the first refusal; undefined if the pod may run there. */
export function refusalOf(pod: Pod, host: Host, snapshot: Snapshot): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(pod, host, snapshot);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Returns a refusal if a pod may not run on a host. */
type Filter = (pod: Pod, host: Host, snapshot: Snapshot) => Refusal | undefined;

/** The filters in the order of the real scheduler: only the first refusal counts. */
const filters: readonly Filter[] = [
  (pod, { node }) => (cordonRepels(pod, node) ? lasting("node(s) were unschedulable") : undefined),
  (pod, { node }) => (taintsRepel(pod, node) ? lasting("node(s) had untolerated taint(s)") : undefined),
  ({ spec }, { node }) =>
    fitsNode(spec, node) ? undefined : lasting("node(s) didn't match Pod's node affinity/selector"),
  (pod, { pods }) =>
    portsConflict(pod, pods)
      ? passing("node(s) didn't have free ports for the requested pod ports")
      : undefined,
  missingResources,
  refusedBySpread,
  refusedByAffinity,
];

/** A refusal that no preemption changes. */
export function lasting(reason: string): Refusal {
  return { reasons: [reason], isLasting: true };
}

/** A refusal that lasts as long as the pods on the node. */
function passing(reason: string): Refusal {
  return { reasons: [reason], isLasting: false };
}

const cordon = "node.kubernetes.io/unschedulable";

function cordonRepels({ spec }: Pod, node: Node): boolean {
  return untoleratedTaints(spec, node).some(({ key }) => key === cordon) && node.spec?.unschedulable === true;
}

/** Returns true if taints of the node repel a pod, or the taint that a real control plane gives unready nodes. */
function taintsRepel({ spec }: Pod, node: Node): boolean {
  const isReady = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;
  const taints = [...(node.spec?.taints ?? []), ...(isReady ? [] : [notReady])];
  return untoleratedTaints(spec, { ...node, spec: { ...node.spec, taints } }).length > 0;
}

/** Returns true if a pod wants a host port that another pod of the node uses. */
function portsConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const used = others.flatMap(hostPorts);
  return wanted.some((port) => used.some((other) => conflicts(port, other)));
}

interface HostPort {
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol?: string | undefined;
}

/** The host ports of containers and sidecars; other init containers have ended. */
function hostPorts({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }): readonly HostPort[] => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0);
}

const allAddresses = "0.0.0.0";

/** Returns true if two ports conflict. A port without an IP is that port of all addresses. */
function conflicts(a: HostPort, b: HostPort): boolean {
  const [ipA, ipB] = [a.hostIP || allAddresses, b.hostIP || allAddresses];
  return (
    a.hostPort === b.hostPort &&
    (a.protocol ?? "TCP") === (b.protocol ?? "TCP") &&
    (ipA === ipB || ipA === allAddresses || ipB === allAddresses)
  );
}

/** The NodeResourcesFit filter. Preemption can't help if the node never had the resources. */
function missingResources(pod: Pod, { node, pods }: Host): Refusal | undefined {
  const allocatable = amountsOf(node.status?.allocatable ?? {});
  /** The reasons, each with whether it remains when all pods leave the node. */
  const missing = new Map<string, boolean>();
  if (pods.length + 1 > (allocatable["pods"] ?? 0)) missing.set("Too many pods", false);
  for (const [name, wanted] of Object.entries(requestsOf(pod))) {
    if (wanted === 0) continue;
    const capacity = allocatable[name] ?? 0;
    const used = pods.reduce((sum, other) => sum + (requestsOf(other)[name] ?? 0), 0);
    if (wanted > capacity - used) missing.set(`Insufficient ${name}`, wanted > capacity);
  }
  if (missing.size === 0) return undefined;
  return { reasons: [...missing.keys()], isLasting: [...missing.values()].some(Boolean) };
}

/** Amounts of resources in whole units; of CPU, in thousandths. */
type Amounts = Readonly<Record<string, number>>;

/** The requests of pods, which are summed up again for each pod that is scheduled. */
const cachedRequests = new WeakMap<Pod["spec"], Amounts>();

function requestsOf({ spec }: Pod): Amounts {
  let requests = cachedRequests.get(spec);
  if (!requests) cachedRequests.set(spec, (requests = amountsOf(sumPodResources(spec, "requests"))));
  return requests;
}

function amountsOf(list: ResourceList): Amounts {
  return Object.fromEntries(
    Object.entries(list).map(([name, amount]) => [
      name,
      Number(quantityToInteger(amount, { unit: name === "cpu" ? "m" : "" })),
    ]),
  );
}

const spreadReason = "node(s) didn't match pod topology spread constraints";

/** The PodTopologySpread filter. Constraints with ScheduleAnyway, which only prefer nodes, are ignored. */
function refusedBySpread(pod: Pod, { node }: Host, { hosts }: Snapshot): Refusal | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const hasAllKeys = ({ metadata }: Node): boolean =>
    constraints.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);
  for (const constraint of constraints) {
    const domain = node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined) return lasting(`${spreadReason} (missing required label)`);
    const eligible = hosts.filter((host) => hasAllKeys(host.node) && isEligible(constraint, pod, host.node));
    if (skewIn(domain, constraint, pod, eligible) > constraint.maxSkew) return passing(spreadReason);
  }
  return undefined;
}

type Constraint = Stored<core.TopologySpreadConstraint>;

/** The skew of a topology domain with the pod: the number of its pods beyond that of the emptiest domain. */
function skewIn(domain: string, constraint: Constraint, pod: Pod, hosts: readonly Host[]): number {
  const { topologyKey, labelSelector, minDomains = 1 } = constraint;
  const isSelected = ({ metadata }: Pod): boolean =>
    metadata.namespace === pod.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    matchesLabelSelector(labelSelector, metadata.labels);
  const numbers = new Map<string, number>();
  for (const { node, pods } of hosts) {
    const key = node.metadata.labels![topologyKey]!;
    numbers.set(key, (numbers.get(key) ?? 0) + pods.filter(isSelected).length);
  }
  // With fewer domains than `minDomains`, the emptiest counts as having no pods.
  const fewest = numbers.size < minDomains ? 0 : Math.min(...numbers.values());
  const self = matchesLabelSelector(labelSelector, pod.metadata.labels) ? 1 : 0;
  return (numbers.get(domain) ?? 0) + self - fewest;
}

/** Returns true if a node counts for a constraint, by its policies about affinity and taints. */
function isEligible(constraint: Constraint, { spec }: Pod, node: Node): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  return (
    (nodeAffinityPolicy === "Ignore" || fitsNode(spec, node)) &&
    (nodeTaintsPolicy === "Ignore" || untoleratedTaints(spec, node).length === 0)
  );
}

/** The InterPodAffinity filter: required affinity to other pods, and anti-affinity in both directions. */
function refusedByAffinity(pod: Pod, { node }: Host, snapshot: Snapshot): Refusal | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (!meetsAffinity(termsOf(podAffinity), pod, node, snapshot))
    return lasting("node(s) didn't match pod affinity rules");
  const meetsAntiAffinity = termsOf(podAntiAffinity).every((term) =>
    podsInDomain(term, node, snapshot).every((other) => !termMatches(term, pod, other, snapshot)),
  );
  if (!meetsAntiAffinity) return passing("node(s) didn't match pod anti-affinity rules");
  if (isRepelledByPods(pod, node, snapshot))
    return passing("node(s) didn't satisfy existing pods anti-affinity rules");
  return undefined;
}

type Term = Stored<core.PodAffinityTerm>;

/** Returns true if matching pods are in the node's domains, or there are none and the pod matches its own terms. */
function meetsAffinity(terms: readonly Term[], pod: Pod, node: Node, snapshot: Snapshot): boolean {
  if (terms.length === 0) return true;
  if (terms.some(({ topologyKey }) => node.metadata.labels?.[topologyKey] === undefined)) return false;
  const isWanted = (other: Pod): boolean => terms.every((term) => termMatches(term, pod, other, snapshot));
  if (terms.every((term) => podsInDomain(term, node, snapshot).some(isWanted))) return true;
  const isAnywhere = snapshot.hosts.some(
    (host) =>
      terms.some(({ topologyKey }) => host.node.metadata.labels?.[topologyKey] !== undefined) &&
      host.pods.some(isWanted),
  );
  return !isAnywhere && isWanted(pod);
}

/** Returns true if the anti-affinity of a running pod repels this one. */
function isRepelledByPods(pod: Pod, node: Node, snapshot: Snapshot): boolean {
  return snapshot.hosts.some((host) =>
    host.pods.some((other) =>
      termsOf(other.spec.affinity?.podAntiAffinity).some(
        (term) => isSameDomain(term, node, host.node) && termMatches(term, other, pod, snapshot),
      ),
    ),
  );
}

/** The pods in the same topology domain as the node. */
function podsInDomain(term: Term, node: Node, { hosts }: Snapshot): Pod[] {
  return hosts.filter((host) => isSameDomain(term, node, host.node)).flatMap(({ pods }) => pods);
}

function isSameDomain({ topologyKey }: Term, a: Node, b: Node): boolean {
  const domain = a.metadata.labels?.[topologyKey];
  return domain !== undefined && domain === b.metadata.labels?.[topologyKey];
}

/** Returns true if a term of one pod matches another pod. A term without namespaces selects from its pod's own. */
function termMatches(term: Term, { metadata }: Pod, other: Pod, { labelsOf }: Snapshot): boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term;
  const namespaceNames = namespaces.length === 0 && !namespaceSelector ? [metadata.namespace] : namespaces;
  const namespace = other.metadata.namespace ?? "";
  return (
    matchesLabelSelector(labelSelector, other.metadata.labels) &&
    (namespaceNames.includes(namespace) || matchesLabelSelector(namespaceSelector, labelsOf(namespace)))
  );
}

function termsOf(affinity?: {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly Term[] | undefined;
}): readonly Term[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
