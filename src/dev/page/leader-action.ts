import type { OwnCluster } from "../dev-cluster.ts";
import type { PageAction } from "./page-action.ts";

/** Tells by which Lease the operator leads, if by any, and whether it has led by one before. */
export function leaderAction({ leases }: Pick<OwnCluster, "leases">): PageAction {
  return async () => ({ lease: leases.held, hasLed: leases.hasLed });
}
