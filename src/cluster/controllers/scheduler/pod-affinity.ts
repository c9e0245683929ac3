import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Stored } from "../../contract/stored.ts";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import { type Host, lasting, passing, type Refusal, type Snapshot } from "./host.ts";

type Term = Stored<core.PodAffinityTerm>;

/** Required affinity to other pods, and anti-affinity in both directions. */
export function refusedByAffinity(pod: Pod, { node }: Host, snapshot: Snapshot): Refusal | undefined {
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

/** The first of the pods that want to be together may run on any node with the labels. */
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

/** The pods in the same place as the node, in the terms of a term. */
function near(term: Term, node: Node, { hosts }: Snapshot): Pod[] {
  return hosts.filter((host) => isSamePlace(term, node, host.node)).flatMap(({ pods }) => pods);
}

function isSamePlace({ topologyKey }: Term, a: Node, b: Node): boolean {
  const place = a.metadata.labels?.[topologyKey];
  return place !== undefined && place === b.metadata.labels?.[topologyKey];
}

/** Whether a term of one pod means another one. Without namespaces, it means pods in the namespace of its own. */
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
