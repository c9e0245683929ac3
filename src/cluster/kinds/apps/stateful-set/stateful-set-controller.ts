import { isEqual } from "@tsbuilder/apimachinery/json";
import { ownerReferenceTo, withOwnerReference } from "@tsbuilder/apimachinery/meta";
import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import {
  type ControllerRevision,
  dropOldRevisions,
  ensureRevision,
  listRevisions,
  revisionLabel,
} from "../../../control-loop/revisions/controller-revisions.ts";
import type { Defaulted, PersistentVolumeClaim, Pod } from "../../../control-loop/api/core.ts";
import { persistentVolumeClaims, pods } from "../../../control-loop/api/core.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { reportedFailure } from "../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../control-loop/keys.ts";
import type { PodMessages } from "../../../control-loop/pods/pod-control.ts";
import { burst, createPod, deletePod, newPod } from "../../../control-loop/pods/pod-control.ts";
import {
  isActive,
  isAvailable,
  isFinished,
  isReady,
  nextAvailable,
} from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { positiveCounts, scaledCount } from "../../../control-loop/counts.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import { isFeatureOn } from "../../../contract/version.ts";
import type { Stored } from "../../../contract/api-object.ts";

export type StatefulSet = Defaulted<
  Stored<apps.StatefulSet>,
  "replicas" | "revisionHistoryLimit" | "podManagementPolicy"
>;

export const statefulSets: ResourceName<StatefulSet> = "statefulsets.apps";
const user = userOf("statefulset");

/** Keeps the pods of a StatefulSet, each with a stable name and its own volumes. */
export function statefulSetController(context: ControllerContext): Controller {
  const steps = reporting(context, user, "statefulset-controller");
  const { objects, clock, report } = steps;
  return {
    watches: [statefulSets, pods],
    keysOf: (event) => keysOfOwner(objects, statefulSets, "StatefulSet", event),

    async reconcile(key) {
      const set = findByKey(objects, statefulSets, key);
      if (!set) return undefined;
      const update = await ensureRevision(steps, set);
      const failure = set.metadata.deletionTimestamp
        ? undefined
        : await reportedFailure(takeStep(set, update));
      const after = await updateStatus(key, update);
      if (failure) throw failure;
      return after;
    },
  };

  async function takeStep(set: StatefulSet, update: ControllerRevision): Promise<void> {
    const owned = await claimDependents(steps, set, pods);
    const { create, remove } = nextStep(set, owned, update.metadata.name!, clock.now());
    const messages = eventMessages(set);
    for (const ordinal of create) {
      for (const claim of claimsOf(set, ordinal)) {
        const { namespace, name } = claim.metadata;
        if (objects.get(persistentVolumeClaims, namespace, name!)) continue;
        await objects.create(user, claim);
        const message = `Create Claim ${name} Pod ${set.metadata.name}-${ordinal} in StatefulSet ${set.metadata.name} success`;
        await report(set, "Normal", "SuccessfulCreate", message);
      }
      const pod = statefulPod(set, ordinal, await revisionFor(set, ordinal, update));
      await createPod(steps, set, pod, messages);
    }
    for (const pod of remove) {
      if (isScaledAway(set, pod)) await handClaimsTo(set, pod);
      await deletePod(steps, set, pod, messages);
    }
  }

  /** A pod below the partition is created from the current revision, not from the update. */
  async function revisionFor(
    set: StatefulSet,
    ordinal: number,
    update: ControllerRevision,
  ): Promise<ControllerRevision> {
    const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    if (ordinal >= (set.spec.ordinals?.start ?? 0) + partition) return update;
    const revisions = await listRevisions(steps, set);
    return revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  }

  /** Makes a pod that is scaled down the owner of its claims, so that they are deleted with the pod. */
  async function handClaimsTo(set: StatefulSet, pod: Pod): Promise<void> {
    for (const { metadata } of claimsOf(set, ordinalOf(set, pod))) {
      const claim = objects.get(persistentVolumeClaims, metadata.namespace, metadata.name!);
      if (!claim) continue;
      const others = claim.metadata.ownerReferences?.filter(({ uid }) => uid !== set.metadata.uid);
      const ownerReferences = withOwnerReference(others, ownerReferenceTo(pod));
      await objects.update(user, { ...claim, metadata: { ...claim.metadata, ownerReferences } });
    }
  }

  async function updateStatus(key: string, update: ControllerRevision): Promise<number | undefined> {
    const set = findByKey(objects, statefulSets, key);
    if (!set) return undefined;
    const owned = await claimDependents(steps, set, pods);
    const status = statefulSetStatus(set, owned, update.metadata.name!, clock.now());
    if (!isEqual(status, set.status)) await objects.update(user, { ...set, status }, "status");
    const inUse = [status.currentRevision!, status.updateRevision!, ...owned.map(revisionOfPod)];
    await dropOldRevisions(steps, set, new Set(inUse));
    return nextAvailable(owned, set.spec.minReadySeconds, clock.now());
  }
}

function eventMessages(set: StatefulSet): PodMessages {
  const nameOf = (pod: Pod) => `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  return {
    failed: (pod, refusal) => `create ${nameOf(pod)} failed error: ${refusal}`,
    created: (pod) => `Create ${nameOf(pod)} successful`,
    deleted: (pod) => `Delete ${nameOf(pod)} successful`,
  };
}

function isScaledAway(set: StatefulSet, pod: Pod): boolean {
  const { whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled === "Delete" && !isWanted(set, ordinalOf(set, pod));
}

type StatefulSetStatus = Stored<apps.StatefulSetStatus>;

/**
 * Computes the status of a StatefulSet from its pods. Once all are updated and ready, updateRevision becomes
 * currentRevision.
 */
function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  updateRevision: string,
  now: number,
): StatefulSetStatus {
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const running = living.filter(({ status }) => status?.phase === "Running");
  const count = (holds: (pod: Pod) => boolean) => living.filter(holds).length;
  const before = set.status?.currentRevision || updateRevision;
  const updated = count((pod) => revisionOfPod(pod) === updateRevision);
  const ready = running.filter(isReady).length;
  const replicas = set.spec.replicas;
  const isRolling = (set.spec.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
  const isComplete = isRolling && updated === pods.length && updated === replicas && ready === replicas;
  const currentRevision = isComplete ? updateRevision : before;
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...positiveCounts({
      readyReplicas: ready,
      currentReplicas: count((pod) => revisionOfPod(pod) === currentRevision),
      updatedReplicas: updated,
    }),
    currentRevision,
    updateRevision,
    availableReplicas: running.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now)).length,
    collisionCount: set.status?.collisionCount ?? 0,
    ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
  };
}

/** The ordinals to create pods for, and the pods to delete, next. */
interface SetStep {
  readonly create: readonly number[];
  readonly remove: readonly Pod[];
}

const noStep: SetStep = { create: [], remove: [] };

/**
 * The next step of a StatefulSet. With OrderedReady, pods are created one at a time from the lowest ordinal
 * and deleted from the highest, and only while all others are healthy; with Parallel, all at once. Updates
 * go from the highest ordinal down to the partition: one by one, or as many at once as maxUnavailable allows.
 */
function nextStep(set: StatefulSet, pods: readonly Pod[], updateRevision: string, now: number): SetStep {
  const isOrdered = set.spec.podManagementPolicy === "OrderedReady";
  const wanted = firstOrdinals(set, pods.length + burst);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const isHealthy = (pod: Pod | undefined) =>
    pod !== undefined && isActive(pod) && isAvailable(pod, set.spec.minReadySeconds, now);

  const missing = wanted.filter((ordinal) => !byOrdinal.has(ordinal));
  const ended = wanted.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []).filter(isRestartable);
  const condemned = [...pods]
    .filter((pod) => !isWanted(set, ordinalOf(set, pod)))
    .sort((a, b) => ordinalOf(set, b) - ordinalOf(set, a));

  if (!isOrdered) {
    const leaving = condemned.filter(({ metadata }) => !metadata.deletionTimestamp);
    if (missing.length + ended.length + leaving.length > 0) {
      return { create: missing, remove: [...ended, ...leaving] };
    }
  } else {
    const blocked = wanted.find((ordinal) => !isHealthy(byOrdinal.get(ordinal)));
    if (blocked !== undefined) return unblockingStep(blocked, byOrdinal.get(blocked));
    const [last] = condemned;
    // A pod that isn't healthy goes only if those below it are: else one after the other would be lost.
    const firstUnhealthy = condemned.findLast((pod) => !isHealthy(pod));
    const isBlocked = last?.metadata.deletionTimestamp || (firstUnhealthy !== last && !isHealthy(last));
    if (last) return isBlocked ? noStep : { create: [], remove: [last] };
  }
  return nextUpdate(set, wanted, byOrdinal, updateRevision, isHealthy);
}

/** Returns the first ordinals that a set should have, at most `limit`. */
function firstOrdinals({ spec }: StatefulSet, limit: number): number[] {
  const start = spec.ordinals?.start ?? 0;
  return Array.from({ length: Math.min(spec.replicas, limit) }, (_, index) => start + index);
}

function isWanted({ spec }: StatefulSet, ordinal: number): boolean {
  const start = spec.ordinals?.start ?? 0;
  return ordinal >= start && ordinal < start + spec.replicas;
}

function unblockingStep(ordinal: number, pod: Pod | undefined): SetStep {
  if (!pod) return { create: [ordinal], remove: [] };
  return isRestartable(pod) ? { create: [], remove: [pod] } : noStep;
}

function nextUpdate(
  set: StatefulSet,
  wanted: readonly number[],
  byOrdinal: ReadonlyMap<number, Pod>,
  updateRevision: string,
  isHealthy: (pod: Pod | undefined) => boolean,
): SetStep {
  if ((set.spec.updateStrategy?.type ?? "RollingUpdate") !== "RollingUpdate") return noStep;
  const { partition = 0, maxUnavailable = 1 } = set.spec.updateStrategy?.rollingUpdate ?? {};
  const updatable = wanted.slice(partition).toReversed();
  if (isFeatureOn("MaxUnavailableStatefulSet")) {
    const most = Math.max(1, scaledCount(maxUnavailable, set.spec.replicas, Math.floor));
    const unavailable = wanted.filter((ordinal) => !isHealthy(byOrdinal.get(ordinal))).length;
    const outdated = updatable
      .flatMap((ordinal) => byOrdinal.get(ordinal) ?? [])
      .filter((pod) => revisionOfPod(pod) !== updateRevision && !pod.metadata.deletionTimestamp);
    // Pods that are not available cost nothing more; those of OrderedReady all are.
    const rest = outdated.filter(isHealthy).slice(0, Math.max(0, most - unavailable));
    return { create: [], remove: [...outdated.filter((pod) => !isHealthy(pod)), ...rest] };
  }
  for (const ordinal of updatable) {
    const pod = byOrdinal.get(ordinal);
    const isOutdated = pod && revisionOfPod(pod) !== updateRevision;
    if (isOutdated && !pod.metadata.deletionTimestamp) return { create: [], remove: [pod] };
    if (!isHealthy(pod)) return noStep;
  }
  return noStep;
}

/** A pod that has finished is recreated: the pods of a StatefulSet are meant to run forever. */
function isRestartable(pod: Pod): boolean {
  return isFinished(pod) && !pod.metadata.deletionTimestamp;
}

/** The ordinal of a pod: the number after the set's name and a dash; -1 if it has none. */
function ordinalOf({ metadata }: StatefulSet, pod: Pod): number {
  const prefix = `${metadata.name}-`;
  const name = pod.metadata.name ?? "";
  const ordinal = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(ordinal) ? Number(ordinal) : -1;
}

/** The name of the revision that a pod was created from. */
function revisionOfPod(pod: Pod): string {
  return pod.metadata.labels?.[revisionLabel] ?? "";
}

/** Builds the pod of an ordinal, with its stable name, hostname and volumes. */
function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = newPod(
    set,
    revision.data.spec.template,
    { name, generateName: `${set.metadata.name}-` },
    {
      [revisionLabel]: revision.metadata.name!,
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
  );
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name!,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name));
  const volumes = [...others, ...claims];
  return {
    ...pod,
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** Builds the claims of a pod's volumes. They outlive the pod, and by default the set. */
function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `${template.metadata.name}-${set.metadata.name}-${ordinal}`,
      namespace: set.metadata.namespace!,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(template.metadata.annotations ? { annotations: template.metadata.annotations } : {}),
      ...(whenDeleted === "Delete" ? { ownerReferences: [ownerReferenceTo(set)] } : {}),
    },
    spec: structuredClone(template.spec),
  }));
}
