import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import { type DaemonSet, type DaemonSetStatus, daemonSets } from "./daemon-sets.ts";
import { type Pod, nodes, pods } from "../../../../control-loop/api/core.ts";
import { claimDependents } from "../../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { reportedFailure } from "../../../../control-loop/failures.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../../control-loop/keys.ts";
import { createPod } from "../../../../control-loop/pods/create-pod.ts";
import { isAvailable, isFinished, isReady, nextAvailable } from "../../../../control-loop/pods/pod-state.ts";
import { type ReportingContext, reporting } from "../../../../control-loop/record-event.ts";
import {
  dropOldRevisions,
  ensureRevision,
  revisionLabel,
} from "../../../../control-loop/revisions/controller-revisions.ts";
import { daemonNodes, daemonPod, isOfRevision, nodeOf } from "./daemon-pods.ts";
import { nextDaemonStep } from "./next-daemon-step.ts";
import { positiveCounts } from "../../../../control-loop/positive-counts.ts";

const user = userOf("daemon-set");

/** Keeps one pod of a DaemonSet on every eligible node. */
export function daemonSetController(context: ControllerContext): Controller {
  const { objects } = context;
  const steps = reporting(context, user, "daemonset-controller");
  return {
    watches: [daemonSets, pods, nodes],

    keysOf(event) {
      if (event.resource === nodes) return objects.list(daemonSets).map(keyOf);
      return keysOfOwner(objects, daemonSets, "DaemonSet", event);
    },

    async reconcile(key) {
      const set = findByKey(objects, daemonSets, key);
      if (!set) return undefined;
      const revision = await ensureRevision(objects, user, set);
      const failure = set.metadata.deletionTimestamp
        ? undefined
        : await reportedFailure(takeStep(steps, set, revision));
      const after = await updateStatus(steps, key, revision);
      if (failure) throw failure;
      return after;
    },
  };
}

async function takeStep(
  context: ReportingContext,
  set: DaemonSet,
  revision: ControllerRevision,
): Promise<void> {
  const { objects, clock, report } = context;
  const owned = await claimDependents(objects, user, set, pods);
  const where = daemonNodes(set, objects.list(nodes));
  const { create, remove } = nextDaemonStep(set, where, owned, revision, clock.now());
  for (const name of create) {
    const pod = await createPod(objects, user, daemonPod(set, name, revision), (refusal) =>
      report(set, "Warning", "FailedCreate", `Error creating: ${refusal}`),
    );
    await report(set, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
  }
  for (const pod of remove) {
    if (isFinished(pod)) await reportEnded(context, set, pod);
    await objects.delete(user, pod, { uid: pod.metadata.uid });
    await report(set, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
}

/** The pods of a DaemonSet are meant to run forever: one that finishes is recreated. */
function reportEnded(
  context: ReportingContext,
  set: DaemonSet,
  { metadata, spec, status }: Pod,
): Promise<void> {
  const { report } = context;
  const what = `daemon pod ${metadata.namespace}/${metadata.name} on node ${spec.nodeName}, will try to`;
  return status?.phase === "Failed"
    ? report(set, "Warning", "FailedDaemonPod", `Found failed ${what} kill it`)
    : report(set, "Normal", "SucceededDaemonPod", `Found succeeded ${what} delete it`);
}

async function updateStatus(
  context: ReportingContext,
  key: string,
  revision: ControllerRevision,
): Promise<number | undefined> {
  const { objects, clock } = context;
  const set = findByKey(objects, daemonSets, key);
  if (!set) return undefined;
  const owned = await claimDependents(objects, user, set, pods);
  const { wanted } = daemonNodes(set, objects.list(nodes));
  const status = daemonSetStatus(set, wanted, owned, revision, clock.now());
  if (!isEqual(status, set.status)) await objects.update(user, { ...set, status }, "status");
  const hashes = owned.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? "");
  const inUse = hashes.map((hash) => `${set.metadata.name}-${hash}`);
  await dropOldRevisions(objects, user, set, new Set([revision.metadata.name!, ...inUse]));
  return nextAvailable(owned, set.spec.minReadySeconds, clock.now());
}

/** Computes the status of a DaemonSet from its pods. */
function daemonSetStatus(
  set: DaemonSet,
  wanted: readonly string[],
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: number,
): DaemonSetStatus {
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const onWanted = wanted.flatMap((name) => oldest(living.filter((pod) => nodeOf(pod) === name)) ?? []);
  const count = (holds: (pod: Pod) => boolean) => onWanted.filter(holds).length;
  const available = count((pod) => isAvailable(pod, set.spec.minReadySeconds, now));
  return {
    currentNumberScheduled: onWanted.length,
    numberMisscheduled: living.filter((pod) => !wanted.includes(nodeOf(pod))).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    observedGeneration: set.metadata.generation ?? 0,
    ...positiveCounts({
      updatedNumberScheduled: count((pod) => isOfRevision(pod, revision)),
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    }),
  };
}

function oldest(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  )[0];
}
