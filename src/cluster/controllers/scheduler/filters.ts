import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import { fitsNode } from "../../kinds/core/node/node-fit.ts";
import { untoleratedTaints } from "../../kinds/core/node/taints.ts";
import { type ResourceList, sumPodResources } from "../../quota/resource-list.ts";
import type { Stored } from "../../contract/stored.ts";

/** A node, and the pods that take room on it. */
export interface Host {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** The reasons why a pod may not run on a node. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** True if the refusal remains when pods of lower priority leave the node. */
  readonly isLasting: boolean;
}

/** The state of the cluster that the decision about a pod depends on. */
export interface Snapshot {
  readonly hosts: readonly Host[];
  /** The labels of a namespace. */
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined;
}

const reason = "node(s) didn't match pod topology spread constraints";

/** A refusal that no preemption changes. */
export function lasting(reason: string): Refusal {
  return { reasons: [reason], isLasting: true };
}

/** Amounts in whole units; of processors, in thousandths. */
type Amounts = Readonly<Record<string, number>>;

/** Caches requests: all pods of a node are summed up for each pod that is scheduled. */
const known = new WeakMap<Pod["spec"], Amounts>();

/** Returns a refusal if a pod may not run on a host. */
type Filter = (pod: Pod, host: Host, snapshot: Snapshot) => Refusal | undefined;

/** The filters in the order of the real scheduler: the first refusal has the reasons. */
const filters: readonly Filter[] = [
  (pod, { node }) => (isCordonedFor(pod, node) ? lasting("node(s) were unschedulable") : undefined),
  (pod, { node }) => (repels(node, pod) ? lasting("node(s) had untolerated taint(s)") : undefined),
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

/** Runs the filters for a pod and a node. Returns the first refusal; undefined if the pod may run there. */
export function refusalOf(pod: Pod, host: Host, snapshot: Snapshot): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(pod, host, snapshot);
    if (refusal) return refusal;
  }
  return undefined;
}

/** A refusal that lasts as long as the pods on the node. */
function passing(reason: string): Refusal {
  return { reasons: [reason], isLasting: false };
}

const cordon = "node.kubernetes.io/unschedulable";

function isCordonedFor({ spec }: Pod, node: Node): boolean {
  return untoleratedTaints(spec, node).some(({ key }) => key === cordon) && node.spec?.unschedulable === true;
}

/**
 * Returns true if taints of the node repel a pod. A node that is not ready repels pods as if it had the taint of a real
 * control plane.
 */
function repels(node: Node, { spec }: Pod): boolean {
  const ready = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;
  const taints = [...(node.spec?.taints ?? []), ...(ready ? [] : [notReady])];
  return untoleratedTaints(spec, { ...node, spec: { ...node.spec, taints } }).length > 0;
}

/** Returns true if a pod wants a host port that another pod of the node uses. */
function portsConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPorts);
  return wanted.some((port) => taken.some((other) => isSame(port, other)));
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

const everywhere = "0.0.0.0";

function isSame(a: HostPort, b: HostPort): boolean {
  const [here, there] = [a.hostIP || everywhere, b.hostIP || everywhere];
  return (
    a.hostPort === b.hostPort &&
    (a.protocol ?? "TCP") === (b.protocol ?? "TCP") &&
    (here === there || here === everywhere || there === everywhere)
  );
}

/** The NodeResourcesFit filter. Preemption can't help if the node never had the resources. */
function missingResources(pod: Pod, { node, pods }: Host): Refusal | undefined {
  const all = amountsOf(node.status?.allocatable ?? {});
  const missing: { reason: string; isLasting: boolean }[] = [];
  if (pods.length + 1 > (all["pods"] ?? 0)) missing.push({ reason: "Too many pods", isLasting: false });
  for (const [name, wanted] of Object.entries(requestsOf(pod))) {
    if (wanted === 0) continue;
    const has = all[name] ?? 0;
    const used = pods.reduce((sum, other) => sum + (requestsOf(other)[name] ?? 0), 0);
    if (wanted > has - used) missing.push({ reason: `Insufficient ${name}`, isLasting: wanted > has });
  }
  if (missing.length === 0) return undefined;
  return {
    reasons: missing.map(({ reason }) => reason),
    isLasting: missing.some(({ isLasting }) => isLasting),
  };
}

function requestsOf({ spec }: Pod): Amounts {
  let requests = known.get(spec);
  if (!requests) known.set(spec, (requests = amountsOf(sumPodResources(spec, "requests"))));
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

/** The PodTopologySpread filter. Constraints with ScheduleAnyway, which only prefer nodes, are ignored. */
function refusedBySpread(pod: Pod, { node }: Host, { hosts }: Snapshot): Refusal | undefined {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const hasAll = ({ metadata }: Node): boolean =>
    constraints.every(({ topologyKey }) => metadata.labels?.[topologyKey] !== undefined);
  for (const constraint of constraints) {
    const place = node.metadata.labels?.[constraint.topologyKey];
    if (place === undefined) return lasting(`${reason} (missing required label)`);
    const counted = hosts.filter((host) => hasAll(host.node) && counts(constraint, pod, host.node));
    if (skewAt(place, constraint, pod, counted) > constraint.maxSkew) return passing(reason);
  }
  return undefined;
}

type Constraint = Stored<core.TopologySpreadConstraint>;

/** The skew of a place with the pod: the number of its pods beyond that of the emptiest place. */
function skewAt(place: string, constraint: Constraint, pod: Pod, hosts: readonly Host[]): number {
  const { topologyKey, labelSelector, minDomains = 1 } = constraint;
  const isMeant = ({ metadata }: Pod): boolean =>
    metadata.namespace === pod.metadata.namespace &&
    metadata.deletionTimestamp === undefined &&
    matchesLabelSelector(labelSelector, metadata.labels);
  const numbers = new Map<string, number>();
  for (const { node, pods } of hosts) {
    const at = node.metadata.labels![topologyKey]!;
    numbers.set(at, (numbers.get(at) ?? 0) + pods.filter(isMeant).length);
  }
  const fewest = numbers.size < minDomains ? 0 : Math.min(...numbers.values());
  const self = matchesLabelSelector(labelSelector, pod.metadata.labels) ? 1 : 0;
  return (numbers.get(place) ?? 0) + self - fewest;
}

function counts(constraint: Constraint, { spec }: Pod, node: Node): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  return (
    (nodeAffinityPolicy === "Ignore" || fitsNode(spec, node)) &&
    (nodeTaintsPolicy === "Ignore" || untoleratedTaints(spec, node).length === 0)
  );
}

/** The InterPodAffinity filter: required affinity to other pods, and anti-affinity in both directions. */
function refusedByAffinity(pod: Pod, { node }: Host, snapshot: Snapshot): Refusal | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (!isAmong(termsOf(podAffinity), pod, node, snapshot))
    return lasting("node(s) didn't match pod affinity rules");
  const isApart = termsOf(podAntiAffinity).every((term) =>
    near(term, node, snapshot).every((other) => !matches(term, pod, other, snapshot)),
  );
  if (!isApart) return passing("node(s) didn't match pod anti-affinity rules");
  if (isKeptAway(pod, node, snapshot))
    return passing("node(s) didn't satisfy existing pods anti-affinity rules");
  return undefined;
}

type Term = Stored<core.PodAffinityTerm>;

/** Checks affinity. The first pod that matches its own terms may run on any node with the topology labels. */
function isAmong(terms: readonly Term[], pod: Pod, node: Node, snapshot: Snapshot): boolean {
  if (terms.length === 0) return true;
  if (terms.some(({ topologyKey }) => node.metadata.labels?.[topologyKey] === undefined)) return false;
  const isWanted = (other: Pod): boolean => terms.every((term) => matches(term, pod, other, snapshot));
  if (terms.every((term) => near(term, node, snapshot).some(isWanted))) return true;
  const exists = snapshot.hosts.some(
    (host) =>
      terms.some(({ topologyKey }) => host.node.metadata.labels?.[topologyKey] !== undefined) &&
      host.pods.some(isWanted),
  );
  return !exists && isWanted(pod);
}

function isKeptAway(pod: Pod, node: Node, snapshot: Snapshot): boolean {
  return snapshot.hosts.some((host) =>
    host.pods.some((other) =>
      termsOf(other.spec.affinity?.podAntiAffinity).some(
        (term) => isSamePlace(term, node, host.node) && matches(term, other, pod, snapshot),
      ),
    ),
  );
}

/** The pods in the same topology domain as the node. */
function near(term: Term, node: Node, { hosts }: Snapshot): Pod[] {
  return hosts.filter((host) => isSamePlace(term, node, host.node)).flatMap(({ pods }) => pods);
}

function isSamePlace({ topologyKey }: Term, a: Node, b: Node): boolean {
  const place = a.metadata.labels?.[topologyKey];
  return place !== undefined && place === b.metadata.labels?.[topologyKey];
}

/**
 * Returns true if a term of one pod matches another pod. Without namespaces, a term matches pods in its own namespace.
 */
function matches(term: Term, { metadata }: Pod, other: Pod, { labelsOf }: Snapshot): boolean {
  const { labelSelector, namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && !namespaceSelector ? [metadata.namespace] : namespaces;
  const namespace = other.metadata.namespace ?? "";
  return (
    matchesLabelSelector(labelSelector, other.metadata.labels) &&
    (own.includes(namespace) || matchesLabelSelector(namespaceSelector, labelsOf(namespace)))
  );
}

function termsOf(affinity?: {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly Term[] | undefined;
}): readonly Term[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
