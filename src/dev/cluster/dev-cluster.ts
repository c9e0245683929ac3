import type { ClusterWrite, PlannedFailures } from "@tsbuilder/cluster";
import type { Client } from "@tsbuilder/runtime";
import type { MovableClock } from "./movable-clock.ts";
import type { OperatorLeases } from "./operator-leases.ts";

/** The cluster of a session. */
export interface DevCluster {
  readonly url: string;
  /** A kubeconfig for kubectl, in the project's folder. */
  readonly kubeconfig: string;
  /** The client of dev itself. */
  readonly client: Client;
  /** The namespace of the operator's ServiceAccount. */
  readonly namespace: string;
  /** Prefix for the names of the operator's objects: others may have objects of the same name there. */
  readonly prefix: string;
  /** The namespace for samples that set none. */
  readonly sampleNamespace: string;
  /** Whether it outlives the session; then nothing may keep pointing at this machine. */
  readonly outlives: boolean;
  /** A kubeconfig with exactly the permissions of a ServiceAccount in the namespace. */
  actAs(serviceAccount: string): Promise<string>;
  stop(): Promise<void>;
  /** Absent for a cluster that others have, too. */
  readonly own?: OwnCluster | undefined;
}

/** What can be done to a cluster that only this session has. */
export interface OwnCluster {
  /** The client of a page: the record says that it was the page. */
  readonly client: Client;
  /** What happens to the operator's next requests. */
  readonly failures: PlannedFailures;
  readonly clock: MovableClock;
  /** By which Lease the operator leads. */
  readonly leases: OperatorLeases;
  /** Brings all objects to states that writes have left. Leases stay, as their writes are not recorded. */
  restore(states: readonly ClusterWrite[]): void;
}
