import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import {
  nodes,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  storageClasses,
} from "../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { isFinished } from "../../control-loop/pods/pod-state.ts";
import { setPodCondition } from "../../control-loop/pods/pod-conditions.ts";
import { reporting, type ReportingContext } from "../../control-loop/record-event.ts";
import { reserved } from "../../kinds/core/persistent-volume/controller/bind-claims.ts";
import {
  chooseVolume,
  waitsForConsumer,
} from "../../kinds/core/persistent-volume/controller/choose-volume.ts";
import { claimsOfPod } from "../../kinds/core/persistent-volume/controller/protection.ts";
import { selectedNode } from "../../kinds/core/persistent-volume/controller/provision.ts";
import { chooseNode, type Placement } from "./choose-node.ts";

const user = "system:kube-scheduler";

/** Binds every pod to a node, once its volumes are bound. */
export function scheduler(context: ControllerContext): Controller {
  const { objects } = context;
  const steps = reporting(context, user, "default-scheduler");
  return {
    watches: [pods, nodes, persistentVolumeClaims],

    /** A pending pod may be waiting for this node or claim. */
    keysOf({ resource, object }) {
      if (resource === pods) return [keyOf(object)];
      const namespace = resource === nodes ? undefined : object.metadata.namespace;
      return objects.list(pods, namespace).filter(isWaiting).map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod || !isWaiting(pod)) return undefined;
      const placement = place(steps, pod);
      if ("reason" in placement) await explain(steps, pod, placement.reason);
      else if (!(await askForVolumes(steps, pod, placement.node))) await bind(steps, pod, placement.node);
      return undefined;
    },
  };
}

function place(context: ReportingContext, pod: Pod): Placement {
  const { objects } = context;
  const unbound = findUnboundClaim(context, pod);
  if (unbound) return { reason: unbound };
  const all = objects.list(pods).filter((other) => !isFinished(other));
  return chooseNode(pod, objects.list(nodes), (name) => {
    return all.filter(({ spec }) => spec.nodeName === name).length;
  });
}

function findUnboundClaim(context: ReportingContext, pod: Pod): string | undefined {
  const { objects } = context;
  for (const key of claimsOfPod(pod)) {
    const claim = findByKey(objects, persistentVolumeClaims, key);
    if (!claim) return `persistentvolumeclaim "${key.slice(key.indexOf("/") + 1)}" not found`;
    if (!claim.spec.volumeName && !isDelayed(context, claim)) {
      return "pod has unbound immediate PersistentVolumeClaims";
    }
  }
  return undefined;
}

function isDelayed(context: ReportingContext, { spec }: PersistentVolumeClaim): boolean {
  const { objects } = context;
  return waitsForConsumer(objects.get(storageClasses, undefined, spec.storageClassName ?? ""));
}

/**
 * Claims with WaitForFirstConsumer have their consumer now: each gets an existing volume, or an annotation
 * with the node that it needs one on. Returns whether the pod has to wait for any of them.
 */
async function askForVolumes(context: ReportingContext, pod: Pod, node: string): Promise<boolean> {
  const { objects } = context;
  const unbound = claimsOfPod(pod)
    .flatMap((key) => findByKey(objects, persistentVolumeClaims, key) ?? [])
    .filter(({ spec }) => !spec.volumeName);
  for (const claim of unbound) {
    const volume = chooseVolume(claim, objects.list(persistentVolumes));
    const annotations = { ...claim.metadata.annotations, [selectedNode]: node };
    if (!volume) await objects.update(user, { ...claim, metadata: { ...claim.metadata, annotations } });
    else if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      await objects.update(user, reserved(volume, claim));
    }
  }
  return unbound.length > 0;
}

async function bind(context: ReportingContext, pod: Pod, nodeName: string): Promise<void> {
  const { objects, report } = context;
  await objects.update(user, { ...pod, spec: { ...pod.spec, nodeName } }, "binding");
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  await report(pod, "Normal", "Scheduled", `Successfully assigned ${name} to ${nodeName}`);
  // The kubelet may have updated the pod already, with this condition.
  const bound = findByKey(objects, pods, keyOf(pod));
  if (bound) await writeScheduled(context, bound, { status: "True" });
}

async function explain(context: ReportingContext, pod: Pod, message: string): Promise<void> {
  const { report } = context;
  await writeScheduled(context, pod, { status: "False", reason: "Unschedulable", message });
  const said = pod.status?.conditions?.some((it) => it.type === "PodScheduled" && it.message === message);
  if (!said) await report(pod, "Warning", "FailedScheduling", message);
}

async function writeScheduled(
  context: ReportingContext,
  pod: Pod,
  state: { status: "True" | "False"; reason?: string; message?: string },
): Promise<void> {
  const { objects, clock } = context;
  const status = setPodCondition(pod.status, { type: "PodScheduled", ...state }, formatTime(clock.now()));
  if (!isEqual(status, pod.status)) await objects.update(user, { ...pod, status }, "status");
}

function isWaiting(pod: Pod): boolean {
  const gated = (pod.spec.schedulingGates ?? []).length > 0;
  const ours = (pod.spec.schedulerName ?? "default-scheduler") === "default-scheduler";
  return ours && !gated && !pod.spec.nodeName && !pod.metadata.deletionTimestamp && !isFinished(pod);
}
