import { isEqual } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import { type Defaulted, type LooseCondition, type Pod, pods } from "../../../control-loop/api/core.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { reportedFailure } from "../../../control-loop/failures.ts";
import { findByKey, keysOfOwner } from "../../../control-loop/keys.ts";
import { burst, createPod, deletePod, newPod } from "../../../control-loop/pods/pod-control.ts";
import {
  compareForDeletion,
  isActive,
  isAvailable,
  isFinished,
  isReady,
  nextAvailable,
} from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { matchesLabels } from "../../../control-loop/matches-labels.ts";
import { positiveCounts } from "../../../control-loop/counts.ts";
import type { Stored } from "../../../contract/api-object.ts";

export type ReplicaSet = Defaulted<Stored<apps.ReplicaSet>, "replicas">;

export const replicaSets: ResourceName<ReplicaSet> = "replicasets.apps";

/** Keeps as many pods of a ReplicaSet as its replicas say. */
export function replicaSetController(context: ControllerContext): Controller {
  return replicatingController(context, {
    resource: replicaSets,
    kind: "ReplicaSet",
    user: "replicaset",
    component: "replicaset-controller",
    asReplicaSet: (replicaSet) => replicaSet,
    withStatus: (replicaSet, status) => ({ ...replicaSet, status }),
  });
}

export type ReplicaSetStatus = Stored<apps.ReplicaSetStatus>;

/** A kind whose objects keep a number of equal pods: ReplicaSet or ReplicationController. */
interface ReplicatingKind<T extends KubernetesObject> {
  readonly resource: ResourceName<T>;
  readonly kind: string;
  /** The name of the controller's user, and the source of its Events. */
  readonly user: string;
  readonly component: string;
  readonly asReplicaSet: (object: T) => ReplicaSet;
  readonly withStatus: (object: T, status: ReplicaSetStatus) => T;
}

/** Creates the controller of a kind that keeps equal pods. */
export function replicatingController<T extends KubernetesObject>(
  context: ControllerContext,
  { resource, kind, user: controller, component, asReplicaSet, withStatus }: ReplicatingKind<T>,
): Controller {
  const { objects, clock } = context;
  const user = userOf(controller);
  const steps = reporting(context, user, component);
  return {
    watches: [resource, pods],
    keysOf: (event) => keysOfOwner(objects, resource, kind, event),

    async reconcile(key) {
      const stored = findByKey(objects, resource, key);
      if (!stored) return undefined;
      const replicaSet = asReplicaSet(stored);
      const owned = (await claimDependents(steps, replicaSet, pods)).filter(isActive);
      const failure = replicaSet.metadata.deletionTimestamp
        ? undefined
        : await reportedFailure(scale(replicaSet, owned));
      const after = await updateStatus(key, failure?.message);
      if (failure) throw failure;
      return after;
    },
  };

  async function scale(replicaSet: ReplicaSet, owned: readonly Pod[]): Promise<void> {
    const missing = replicaSet.spec.replicas - owned.length;
    for (let count = 0; count < Math.min(missing, burst); count++) {
      const generateName = `${replicaSet.metadata.name}-`;
      await createPod(steps, replicaSet, newPod(replicaSet, replicaSet.spec.template, { generateName }));
    }
    const surplus = missing < 0 ? owned.toSorted(compareForDeletion).slice(0, -missing) : [];
    for (const pod of surplus) await deletePod(steps, replicaSet, pod);
  }

  async function updateStatus(key: string, refusal: string | undefined): Promise<number | undefined> {
    const stored = findByKey(objects, resource, key);
    if (!stored) return undefined;
    const replicaSet = asReplicaSet(stored);
    const owned = await claimDependents(steps, replicaSet, pods);
    const next = withStatus(stored, replicaSetStatus(replicaSet, owned, refusal, clock.now()));
    if (!isEqual(next, stored)) await objects.update(user, next, "status");
    return nextAvailable(owned.filter(isActive), replicaSet.spec.minReadySeconds, clock.now());
  }
}

/** Computes the status of a ReplicaSet from its pods, and from the message if the server rejected one. */
function replicaSetStatus(
  replicaSet: ReplicaSet,
  owned: readonly Pod[],
  refusal: string | undefined,
  now: number,
): ReplicaSetStatus {
  const pods = owned.filter(isActive);
  const { template, minReadySeconds } = replicaSet.spec;
  const templateLabels = template.metadata?.labels ?? {};
  const conditions = withFailure(replicaSet, refusal, now);
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  return {
    replicas: pods.length,
    ...positiveCounts({
      fullyLabeledReplicas: count((pod) => matchesLabels(templateLabels, pod.metadata.labels)),
      readyReplicas: count(isReady),
      availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, now)),
    }),
    terminatingReplicas: owned.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)).length,
    observedGeneration: replicaSet.metadata.generation ?? 0,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** A known failure keeps its first message, or each attempt would change the status. */
function withFailure({ status }: ReplicaSet, refusal: string | undefined, now: number): LooseCondition[] {
  const before = status?.conditions ?? [];
  if (refusal === undefined) return before.filter(({ type }) => type !== "ReplicaFailure");
  if (before.some(({ type }) => type === "ReplicaFailure")) return before;
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message: refusal,
  } as const;
  return [...before, { ...failure, lastTransitionTime: formatTime(now) }];
}
