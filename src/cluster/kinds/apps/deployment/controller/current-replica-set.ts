import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Deployment, deployments } from "./deployments.ts";
import { type ReplicaSet, replicaSets } from "../../replica-set/controller/replica-sets.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import { desiredReplicas } from "./desired-replicas.ts";
import { newReplicaSet, scaled } from "./new-replica-set.ts";
import { currentAnnotations, revisionAnnotation } from "./revisions.ts";
import { reportScaling } from "./scale-replica-sets.ts";

/** Creates the ReplicaSet of the current template, or updates its annotations. */
export async function ensureCurrent(
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
