import type { ControllerRevision, DaemonSet } from "../api/apps.ts";
import type { Node, Pod } from "../api/core.ts";
import { scaledCount } from "../deployment/replica-counts.ts";
import { newPod } from "../pods/new-pod.ts";
import { isAvailable, isFinished } from "../pods/pod-state.ts";
import { revisionLabel } from "../revisions/controller-revisions.ts";
import { mayRunOn } from "../scheduler/choose-node.ts";

/** Makes the pod of a node: it is bound there by affinity, and stays on through what drives others away. */
export function daemonPod(set: DaemonSet, nodeName: string, revision: ControllerRevision): Pod {
  const pod = newPod(
    set,
    set.spec.template,
    { generateName: `${set.metadata.name}-` },
    {
      [revisionLabel]: revision.metadata.labels?.[revisionLabel] ?? "",
    },
  );
  const tolerations = ["not-ready:NoExecute", "unreachable:NoExecute", "disk-pressure:NoSchedule"].map(
    (taint) => {
      const [key, effect] = taint.split(":");
      return { key: `node.kubernetes.io/${key}`, operator: "Exists", effect: effect! };
    },
  );
  return {
    ...pod,
    spec: {
      ...pod.spec,
      affinity: { ...pod.spec.affinity, nodeAffinity: affinityTo(nodeName) },
      tolerations: [...(pod.spec.tolerations ?? []), ...tolerations],
    },
  };
}

function affinityTo(nodeName: string) {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }],
    },
  };
}

/** The node that a pod of a DaemonSet is on, or is meant for. */
export function nodeOf({ spec }: Pod): string {
  const affinity = spec.affinity?.["nodeAffinity"] as ReturnType<typeof affinityTo> | undefined;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  return spec.nodeName ?? terms?.[0]?.matchFields[0]?.values[0] ?? "";
}

/** Tells whether a DaemonSet wants a pod on a node. */
export function belongsOn(set: DaemonSet, node: Node, revision: ControllerRevision): boolean {
  return mayRunOn(daemonPod(set, node.metadata.name ?? "", revision), node);
}

/** What to do next: nodes to make pods for, and pods to delete. */
export interface DaemonStep {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/**
 * The next step of a DaemonSet: one pod per node that it belongs on. Updates replace as many old pods at a time
 * as may be unavailable.
 */
export function nextDaemonStep(
  set: DaemonSet,
  wanted: readonly string[],
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: Date,
): DaemonStep {
  const create = wanted.filter((name) => !pods.some((pod) => nodeOf(pod) === name));
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const superfluous = living.filter((pod, index) => {
    const first = living.findIndex((other) => nodeOf(other) === nodeOf(pod));
    return !wanted.includes(nodeOf(pod)) || first !== index || isFinished(pod);
  });
  if (create.length + superfluous.length > 0) return { create, remove: superfluous };
  return { create, remove: outdatedPods(set, wanted, living, revision, now) };
}

function outdatedPods(
  set: DaemonSet,
  wanted: readonly string[],
  living: readonly Pod[],
  revision: ControllerRevision,
  now: Date,
): Pod[] {
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  const limit = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  const maxUnavailable = Math.max(1, scaledCount(limit, wanted.length, Math.ceil));
  const available = living.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, now));
  const outdated = living.filter((pod) => !isOfRevision(pod, revision));
  const broken = outdated.filter((pod) => !available.includes(pod));
  const room = Math.max(0, maxUnavailable - (wanted.length - available.length));
  return [...broken, ...outdated.filter((pod) => available.includes(pod)).slice(0, room)];
}

/** Tells whether a pod was made from a revision. */
export function isOfRevision({ metadata }: Pod, revision: ControllerRevision): boolean {
  return metadata.labels?.[revisionLabel] === revision.metadata.labels?.[revisionLabel];
}
