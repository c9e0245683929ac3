import { defineKind, type int32, type KubernetesObject, type MicroTime } from "@tsbuilder/apimachinery/meta";

/** What electors write into a Lease. Only its changes count, never its times: clocks of machines differ. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: int32;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: int32;
}

/** A lock with an end, as client-go's electors use it. */
export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}

export const Lease = defineKind<Lease>(
  { group: "coordination.k8s.io", version: "v1" },
  { kind: "Lease", plural: "leases" },
);
