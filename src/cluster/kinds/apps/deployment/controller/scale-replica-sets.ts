import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Deployment } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import { pods } from "../../../../control-loop/api/core.ts";
import { isFinished } from "../../../../control-loop/pods/pod-state.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import type { DesiredReplicas } from "./desired-replicas.ts";
import { scaled } from "./new-replica-set.ts";

export async function scaleAll(
  context: ReportingContext,
  deployment: Deployment,
  owned: readonly ReplicaSet[],
  target: DesiredReplicas,
): Promise<void> {
  const { objects, user } = context;
  for (const replicaSet of owned) {
    const replicas = target.get(replicaSet.metadata.name ?? "") ?? replicaSet.spec.replicas;
    const next = scaled(deployment, replicaSet, replicas);
    if (isEqual(next, replicaSet)) continue;
    await objects.update(user, next);
    await reportScaling(context, deployment, replicaSet, replicas);
  }
}

export async function reportScaling(
  context: ReportingContext,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  to: number,
): Promise<void> {
  const { report } = context;
  const from = replicaSet.spec.replicas;
  if (from === to) return;
  const direction = to > from ? "up" : "down";
  const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${from} to ${to}`;
  await report(deployment, "Normal", "ScalingReplicaSet", message);
}

/**
 * With Recreate, old pods are deleted before new ones are created. Returns whether there are old pods left.
 */
export async function endOld(
  context: ReportingContext,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): Promise<boolean> {
  const { objects } = context;
  const running = old.filter(({ spec }) => spec.replicas !== 0);
  await scaleAll(context, deployment, running, new Map(running.map(({ metadata }) => [metadata.name!, 0])));
  const owners = new Set(old.map(({ metadata }) => metadata.uid));
  return objects
    .list(pods, deployment.metadata.namespace)
    .some((pod) => !isFinished(pod) && pod.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)));
}
