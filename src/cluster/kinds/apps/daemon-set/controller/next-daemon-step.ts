import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { DaemonSet } from "./daemon-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isAvailable, isFinished, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { type DaemonNodes, isOfRevision, nodeOf } from "./daemon-pods.ts";
import { replaceInPlace, replaceWithSurge, type Rollout, surgeOf } from "./rollout.ts";

/** What to do next: nodes to make pods for, and pods to delete. */
export interface DaemonStep {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/**
 * The next step of a DaemonSet: one pod on each node that it belongs on, and when all are there, the update of
 * those that are outdated. A surge has two pods on a node for a while: the old one until the new one is there.
 */
export function nextDaemonStep(
  set: DaemonSet,
  { wanted, suffered }: DaemonNodes,
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: number,
): DaemonStep {
  const rollout: Rollout = {
    set,
    wanted,
    isNew: (pod) => isOfRevision(pod, revision),
    isAvailable: (pod) => isAvailable(pod, set.spec.minReadySeconds, now),
    onNode: podsByNode(pods.filter(({ metadata }) => !metadata.deletionTimestamp)),
  };
  const create = wanted.filter((name) => !pods.some((pod) => nodeOf(pod) === name));
  const remove = [...rollout.onNode].flatMap(([name, there]) => {
    return suffered.includes(name) ? superfluous(rollout, there) : there;
  });
  if (create.length + remove.length > 0) return { create, remove };
  if (set.spec.updateStrategy?.type === "OnDelete") return { create: [], remove: [] };
  return surgeOf(rollout) > 0 ? replaceWithSurge(rollout) : replaceInPlace(rollout);
}

/** The pods of each node, the oldest first. */
function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byAge = [...pods].sort((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  );
  const onNode = new Map<string, Pod[]>();
  for (const pod of byAge) onNode.set(nodeOf(pod), [...(onNode.get(nodeOf(pod)) ?? []), pod]);
  return onNode;
}

/** Of the pods on one node: those that have ended, and those beyond one, or beyond one of each kind in a surge. */
function superfluous(rollout: Rollout, there: readonly Pod[]): Pod[] {
  const ended = there.filter(isFinished);
  const running = there.filter((pod) => !isFinished(pod));
  if (surgeOf(rollout) === 0) return [...ended, ...running.slice(1)];
  const [newest, ...moreNew] = running.filter(rollout.isNew);
  const [old, ...moreOld] = running.filter((pod) => !rollout.isNew(pod));
  const isReplaced = newest && old && (!isReady(old) || rollout.isAvailable(newest));
  return [...ended, ...moreNew, ...moreOld, ...(isReplaced ? [old] : [])];
}
