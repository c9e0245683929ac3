import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import { revisionOf } from "./revisions.ts";

/** Deletes the oldest ReplicaSets beyond the Deployment's revisionHistoryLimit. */
export async function dropHistory(
  context: ReportingContext,
  { spec }: Deployment,
  old: readonly ReplicaSet[],
): Promise<void> {
  const { objects, user } = context;
  const spent = old.filter(
    (set) => set.spec.replicas === 0 && !set.status?.replicas && !set.metadata.deletionTimestamp,
  );
  const surplus = Math.max(0, spent.length - spec.revisionHistoryLimit);
  const oldest = [...spent].sort((a, b) => Number(revisionOf(a) - revisionOf(b))).slice(0, surplus);
  for (const replicaSet of oldest) {
    await objects.delete(user, replicaSet, { propagationPolicy: "Background" });
  }
}
