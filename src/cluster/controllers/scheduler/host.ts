import type { Node, Pod } from "../../control-loop/api/core.ts";

/** A node, and the pods that take room on it. */
export interface Host {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** Why a pod may not run on a node. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Whether it stays if pods of lower priority leave the node. */
  readonly isLasting: boolean;
}

/** The state of the cluster that the decision about a pod depends on. */
export interface Snapshot {
  readonly hosts: readonly Host[];
  /** The labels of a namespace. */
  readonly labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined;
}

/** Decides about a pod and a host; undefined if the pod may run there. */
export type Filter = (pod: Pod, host: Host, snapshot: Snapshot) => Refusal | undefined;

/** A refusal that no preemption changes. */
export function lasting(reason: string): Refusal {
  return { reasons: [reason], isLasting: true };
}

/** A refusal that lasts as long as the pods on the node. */
export function passing(reason: string): Refusal {
  return { reasons: [reason], isLasting: false };
}
