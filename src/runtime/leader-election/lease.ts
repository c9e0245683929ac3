import { defineKind, type int32, type KubernetesObject, type MicroTime } from "@tsbuilder/apimachinery/meta";

/** What electors write to a Lease. Only changes count, never the times: the clocks of machines differ. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: int32;
  acquireTime?: MicroTime;
  renewTime?: MicroTime;
  leaseTransitions?: int32;
}

/** A lock that expires, as used by client-go's electors. */
export interface Lease extends KubernetesObject {
  spec?: LeaseSpec;
}

export const Lease = defineKind<Lease>(
  { group: "coordination.k8s.io", version: "v1" },
  { kind: "Lease", plural: "leases" },
);
