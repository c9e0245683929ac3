// The clusters of sessions. This file is the contract; `embedded-cluster` and `other-cluster` implement it. `foreground-cluster`
// is the cluster of `tsbuilder cluster start`, without a project.

import type { ClusterWrite, PlannedFailures } from "@tsbuilder/cluster";
import type { Client } from "@tsbuilder/runtime";
import type { MovableClock } from "./movable-clock.ts";
import type { OperatorLeases } from "./operator-leases.ts";

/** The cluster of a session: embedded, or one that exists already. */
export interface DevCluster {
  readonly url: string;
  /** A kubeconfig for kubectl, in the project's folder. */
  readonly kubeconfig: string;
  /** The client of dev itself. */
  readonly client: Client;
  /** The namespace of the operator's ServiceAccount. */
  readonly namespace: string;
  /** The prefix for the names of the operator's objects, which may exist in a shared cluster. */
  readonly prefix: string;
  /** The namespace for samples that set none. */
  readonly sampleNamespace: string;
  /** True if the cluster outlives the session: then no webhook may keep pointing at this machine. */
  readonly outlivesSession: boolean;
  /** A kubeconfig with exactly the permissions of a ServiceAccount in the namespace. */
  actAs(serviceAccount: string): Promise<string>;
  stop(): Promise<void>;
  /** Undefined for a cluster that is shared with others. */
  readonly controls?: ClusterControls | undefined;
}

/** The means to manipulate a cluster that belongs to this session alone. */
export interface ClusterControls {
  /** The client of the page, with a user agent by which the record tells its writes from others. */
  readonly client: Client;
  /** Failures and delays that are planned for the operator's next requests. */
  readonly failures: PlannedFailures;
  readonly clock: MovableClock;
  /** True if kubelets run pods: their time can't be moved, and what they run can't go back. */
  readonly hasNodes: boolean;
  /** The Lease by which the operator leads. */
  readonly leases: OperatorLeases;
  /** Replaces all objects by the states that writes left, except for Leases, whose writes are not recorded. */
  restore(states: readonly ClusterWrite[]): void;
}
