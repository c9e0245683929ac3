import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Deployment, type DeploymentStatus, deployments } from "./deployments.ts";
import { type ReplicaSet, replicaSets } from "../../replica-set/controller/replica-sets.ts";
import { type LooseCondition, pods } from "../../../../control-loop/api/core.ts";
import { claimDependents } from "../../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../../control-loop/keys.ts";
import { type ReportingContext, reporting } from "../../../../control-loop/record-event.ts";
import { desiredReplicas } from "./desired-replicas.ts";
import { proportionalReplicas, wasScaled } from "./proportional-replicas.ts";
import { availableReplicas, isComplete, specReplicas } from "./replica-counts.ts";
import { currentAnnotations, findCurrent, revisionAnnotation, revisionOf } from "./revisions.ts";
import { rolloutConditions, untilDeadline } from "./rollout-conditions.ts";
import { endOld, reportScaling, scaleAll } from "./scale-replica-sets.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";
import { sum } from "../../../../control-loop/counts.ts";
import { newReplicaSet, scaled } from "./new-replica-set.ts";

const user = userOf("deployment");

/** Rolls out a Deployment's template through ReplicaSets, one for each revision of the template. */
export function deploymentController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const steps = reporting(context, user, "deployment-controller");
  return {
    watches: [deployments, replicaSets, pods],

    /** Recreate waits for the deletion of pods. */
    keysOf(event) {
      if (event.resource !== pods) return keysOfOwner(objects, deployments, "Deployment", event);
      if (event.type !== "DELETED") return [];
      const all = objects.list(deployments, event.object.metadata.namespace);
      return all.filter(({ spec }) => spec.strategy?.type === "Recreate").map(keyOf);
    },

    async reconcile(key) {
      const deployment = findByKey(objects, deployments, key);
      if (!deployment) return undefined;
      const owned = await claimDependents(objects, user, deployment, replicaSets);
      if (!deployment.metadata.deletionTimestamp) await rollOut(deployment, owned);
      return updateStatus(key);
    },
  };

  async function rollOut(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<void> {
    if (deployment.spec.paused || wasScaled(deployment, owned)) {
      const target = wasScaled(deployment, owned) ? proportionalReplicas(deployment, owned) : new Map();
      await scaleAll(steps, deployment, owned, target);
      if (deployment.spec.paused) return;
    }
    const found = findCurrent(deployment, owned);
    const old = owned.filter(({ metadata }) => metadata.uid !== found?.metadata.uid);
    if (deployment.spec.strategy?.type === "Recreate" && (await endOld(steps, deployment, old))) return;
    const current = await ensureCurrent(steps, deployment, found, old);
    if (!current) return;
    await scaleAll(steps, deployment, [current, ...old], desiredReplicas(deployment, current, old));
  }

  async function updateStatus(key: string): Promise<number | undefined> {
    const deployment = findByKey(objects, deployments, key);
    if (!deployment) return undefined;
    const owned = await claimDependents(objects, user, deployment, replicaSets);
    const current = findCurrent(deployment, owned);
    const old = owned.filter((replicaSet) => replicaSet !== current);
    const status = deploymentStatus(deployment, current, old, clock.now());
    if (!isEqual(status, deployment.status)) await objects.update(user, { ...deployment, status }, "status");
    if (isComplete(deployment, status)) await dropHistory(steps, deployment, old);
    return untilDeadline({ ...deployment, status }, clock.now());
  }
}

/** Creates the ReplicaSet of the current template, or updates its annotations. */
async function ensureCurrent(
  context: ReportingContext,
  deployment: Deployment,
  found: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Promise<ReplicaSet | undefined> {
  const annotations = currentAnnotations(deployment, found, old);
  const current = found
    ? await annotate(context, found, annotations)
    : await createCurrent(context, deployment, annotations, old);
  const revision = annotations[revisionAnnotation];
  if (current && revision) await markRevision(context, deployment.metadata, revision);
  return current;
}

/** Written through the status subresource, so that the generation stays the same. */
async function markRevision(
  context: ReportingContext,
  { namespace, name }: Deployment["metadata"],
  revision: string,
): Promise<void> {
  const { objects, user } = context;
  const stored = objects.get(deployments, namespace, name!);
  if (!stored || stored.metadata.annotations?.[revisionAnnotation] === revision) return;
  const annotations = { ...stored.metadata.annotations, [revisionAnnotation]: revision };
  await objects.update(user, { ...stored, metadata: { ...stored.metadata, annotations } }, "status");
}

async function annotate(
  context: ReportingContext,
  set: ReplicaSet,
  annotations: Record<string, string>,
): Promise<ReplicaSet> {
  const { objects, user } = context;
  if (isEqual(set.metadata.annotations, annotations)) return set;
  return objects.update(user, { ...set, metadata: { ...set.metadata, annotations } });
}

/**
 * Creates the ReplicaSet of a template. If its name is taken, collisionCount makes the next attempt use
 * another.
 */
async function createCurrent(
  context: ReportingContext,
  deployment: Deployment,
  annotations: Record<string, string>,
  old: readonly ReplicaSet[],
): Promise<ReplicaSet | undefined> {
  const { objects, user } = context;
  const empty = newReplicaSet(deployment, annotations);
  const { namespace, name } = empty.metadata;
  if (objects.get(replicaSets, namespace, name!)) {
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    await objects.update(user, { ...deployment, status }, "status");
    return undefined;
  }
  const replicas = desiredReplicas(deployment, empty, old).get(name!) ?? 0;
  const created = await objects.create(user, scaled(deployment, empty, replicas));
  await reportScaling(context, deployment, empty, replicas);
  return created;
}

/** Computes the status of a Deployment from its ReplicaSets. */
function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const all = current ? [current, ...old] : old;
  const available = availableReplicas(all);
  const collisionCount = deployment.status?.collisionCount;
  const counts: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...positiveCounts({
      replicas: sum(all.map(({ status }) => status?.replicas ?? 0)),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(all.map(({ status }) => status?.readyReplicas ?? 0)),
      availableReplicas: available,
      unavailableReplicas: specReplicas(all) - available,
    }),
    terminatingReplicas: sum(all.map(({ status }) => status?.terminatingReplicas ?? 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
  const conditions = rolloutConditions(deployment, counts, current, now);
  return { ...counts, conditions: [...conditions, ...failureOf(deployment, all)] };
}

/**
 * The ReplicaFailure condition of the first ReplicaSet that has one; a known failure keeps its message and
 * times.
 */
function failureOf({ status }: Deployment, all: readonly ReplicaSet[]): LooseCondition[] {
  const failures = all.flatMap((set) => set.status?.conditions?.filter(isFailure) ?? []);
  const [failure] = failures;
  if (!failure) return [];
  const known = status?.conditions?.find(isFailure);
  const { lastTransitionTime } = failure;
  return [known ?? { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) }];
}

function isFailure({ type, status }: LooseCondition): boolean {
  return type === "ReplicaFailure" && status === "True";
}

/** Deletes the oldest ReplicaSets beyond the Deployment's revisionHistoryLimit. */
async function dropHistory(
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
