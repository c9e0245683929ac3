import { isEqual } from "@tsbuilder/apimachinery/json";
import { isComplete } from "./replica-counts.ts";
import { type Deployment, deployments, type ReplicaSet, replicaSets } from "../api/apps.ts";
import { pods } from "../api/core.ts";
import { claimDependents } from "../claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { findByKey, keyOf, keysOfOwner } from "../keys.ts";
import { isFinished } from "../pods/pod-state.ts";
import { reporter } from "../record-event.ts";
import { deploymentStatus } from "./deployment-status.ts";
import { type DesiredReplicas, desiredReplicas } from "./desired-replicas.ts";
import { newReplicaSet, scaled } from "./new-replica-set.ts";
import { proportionalReplicas, wasScaled } from "./proportional-replicas.ts";
import { currentAnnotations, findCurrent, revisionAnnotation, revisionOf } from "./revisions.ts";
import { untilDeadline } from "./rollout-conditions.ts";

const user = userOf("deployment");

/** Rolls a Deployment's template out through ReplicaSets, one per revision of the template. */
export function deploymentController(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const report = reporter(context, "deployment-controller");
  return {
    name: "deployment",
    watches: [deployments, replicaSets, pods],

    /** The end of a pod is what Recreate waits for. */
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
      await scaleAll(deployment, owned, target);
      if (deployment.spec.paused) return;
    }
    const found = findCurrent(deployment, owned);
    const old = owned.filter(({ metadata }) => metadata.uid !== found?.metadata.uid);
    if (deployment.spec.strategy?.type === "Recreate" && (await endOld(deployment, old))) return;
    const current = await ensureCurrent(deployment, found, old);
    if (!current) return;
    await scaleAll(deployment, [current, ...old], desiredReplicas(deployment, current, old));
  }

  /** Makes the ReplicaSet of the current template, or brings its annotations up to date. */
  async function ensureCurrent(
    deployment: Deployment,
    found: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
    const annotations = currentAnnotations(deployment, found, old);
    const current = found
      ? await annotate(found, annotations)
      : await createCurrent(deployment, annotations, old);
    const revision = annotations[revisionAnnotation];
    if (current && revision) await markRevision(deployment.metadata, revision);
    return current;
  }

  /** By way of the status, so that a revision is no change of the spec. */
  async function markRevision({ namespace, name }: Deployment["metadata"], revision: string): Promise<void> {
    const stored = objects.get(deployments, namespace, name!);
    if (!stored || stored.metadata.annotations?.[revisionAnnotation] === revision) return;
    const annotations = { ...stored.metadata.annotations, [revisionAnnotation]: revision };
    await objects.update(user, { ...stored, metadata: { ...stored.metadata, annotations } }, "status");
  }

  async function annotate(set: ReplicaSet, annotations: Record<string, string>): Promise<ReplicaSet> {
    if (isEqual(set.metadata.annotations, annotations)) return set;
    return objects.update(user, { ...set, metadata: { ...set.metadata, annotations } });
  }

  /** Creates the ReplicaSet of a template. Should another have its name, the next try takes another name. */
  async function createCurrent(
    deployment: Deployment,
    annotations: Record<string, string>,
    old: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
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
    await reportScaling(deployment, empty, replicas);
    return created;
  }

  /** Recreate starts nothing new before the last old pod is gone; tells whether there is one. */
  async function endOld(deployment: Deployment, old: readonly ReplicaSet[]): Promise<boolean> {
    const running = old.filter(({ spec }) => spec.replicas !== 0);
    await scaleAll(deployment, running, new Map(running.map(({ metadata }) => [metadata.name!, 0])));
    const owners = new Set(old.map(({ metadata }) => metadata.uid));
    return objects
      .list(pods, deployment.metadata.namespace)
      .some((pod) => !isFinished(pod) && pod.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)));
  }

  async function scaleAll(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
    target: DesiredReplicas,
  ): Promise<void> {
    for (const replicaSet of owned) {
      const replicas = target.get(replicaSet.metadata.name ?? "") ?? replicaSet.spec.replicas ?? 1;
      const next = scaled(deployment, replicaSet, replicas);
      if (isEqual(next, replicaSet)) continue;
      await objects.update(user, next);
      await reportScaling(deployment, replicaSet, replicas);
    }
  }

  async function reportScaling(deployment: Deployment, replicaSet: ReplicaSet, to: number): Promise<void> {
    const from = replicaSet.spec.replicas ?? 1;
    if (from === to) return;
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${from} to ${to}`;
    await report(deployment, "Normal", "ScalingReplicaSet", message);
  }

  async function updateStatus(key: string): Promise<number | undefined> {
    const deployment = findByKey(objects, deployments, key);
    if (!deployment) return undefined;
    const owned = await claimDependents(objects, user, deployment, replicaSets);
    const current = findCurrent(deployment, owned);
    const old = owned.filter((replicaSet) => replicaSet !== current);
    const status = deploymentStatus(deployment, current, old, clock.now());
    if (!isEqual(status, deployment.status)) await objects.update(user, { ...deployment, status }, "status");
    if (isComplete(deployment, status)) await dropHistory(deployment, old);
    return untilDeadline({ ...deployment, status }, clock.now());
  }

  /** Keeps as many old revisions as the Deployment wants to be able to go back to. */
  async function dropHistory({ spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const spent = old.filter(
      (set) => set.spec.replicas === 0 && !set.status?.replicas && !set.metadata.deletionTimestamp,
    );
    const surplus = Math.max(0, spent.length - (spec.revisionHistoryLimit ?? 10));
    const oldest = [...spent].sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, surplus);
    for (const replicaSet of oldest) {
      await objects.delete(user, replicaSet, { propagationPolicy: "Background" });
    }
  }
}
