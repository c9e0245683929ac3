import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Pod, type Taint, nodes, pods, type Node } from "../../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../control-loop/keys.ts";
import { setPodCondition } from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { evictionUser, nodeUser } from "./fake-node.ts";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Stored } from "../../../contract/api-object.ts";

/** The taints of a node that a pod does not tolerate, including its cordon. */
export function untoleratedTaints({ tolerations = [] }: Pod["spec"], { spec }: Node): Taint[] {
  const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const taints = [...(spec?.taints ?? []), ...(spec?.unschedulable ? [cordon] : [])];
  return taints.filter(
    (taint) =>
      taint.effect !== "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** Deletes pods from nodes that have taints with the effect `NoExecute`, once they no longer tolerate these. */
export function taintEviction(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const { report } = reporting(context, nodeUser, "taint-eviction-controller");
  /** The time at which the taints of a pod's node were first seen, by the pod's UID: a taint need not have a time. */
  const seen = new Map<string, number>();
  return {
    watches: [nodes, pods],

    keysOf({ type, resource, object }) {
      if (resource === pods) {
        if (type === "DELETED") seen.delete(object.metadata.uid!);
        return [keyOf(object)];
      }
      return objects
        .list(pods)
        .filter(({ spec }) => spec.nodeName === object.metadata.name)
        .map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod?.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
      const uid = pod.metadata.uid!;
      const node = objects.get(nodes, undefined, pod.spec.nodeName);
      const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
      const patience = tolerationMilliseconds(pod.spec, taints);
      if (taints.length === 0 || patience === Number.POSITIVE_INFINITY) {
        seen.delete(uid);
        return undefined;
      }
      const since = seen.get(uid) ?? clock.now();
      seen.set(uid, since);
      const left = since + patience - clock.now();
      if (left > 0) return left;
      await evict(pod);
      return undefined;
    },
  };

  async function evict(pod: Pod): Promise<void> {
    const { namespace, name, generation } = pod.metadata;
    await report(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
    const status = setPodCondition(
      pod.status,
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: generation!,
      },
      formatTime(clock.now()),
    );
    const marked = isEqual(status, pod.status)
      ? pod
      : await objects.update(evictionUser, { ...pod, status }, "status");
    await objects.delete(evictionUser, marked, { uid: pod.metadata.uid });
  }
}

/**
 * Returns the milliseconds for which a pod tolerates taints: 0 if it doesn't tolerate one of them, infinity if it tolerates
 * all without a limit. If several tolerations match a taint, the first one counts.
 */
function tolerationMilliseconds({ tolerations = [] }: Pod["spec"], taints: readonly Taint[]): number {
  const limits = taints.map((taint) => {
    const toleration = tolerations.find((each) => tolerates(each, taint));
    return toleration ? (toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0;
  });
  return Math.max(0, Math.min(...limits) * 1000);
}

type Toleration = Stored<core.Toleration>;

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  return (
    (!key || key === taint.key) &&
    (!effect || effect === taint.effect) &&
    (operator === "Exists" || (value ?? "") === (taint.value ?? ""))
  );
}
