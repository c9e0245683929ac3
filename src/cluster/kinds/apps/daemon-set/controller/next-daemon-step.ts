import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { DaemonSet } from "./daemon-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isAvailable, isFinished, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { type DaemonNodes, isOfRevision, nodeOf } from "./daemon-pods.ts";
import { replaceInPlace, replaceWithSurge, type Rollout, surgeOf } from "./rollout.ts";

/** What to do next: nodes to create pods for, and pods to delete. */
export interface DaemonStep {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/**
 * The next step of a DaemonSet: one pod on each eligible node, and once all exist, the update of outdated
 * ones. With maxSurge a node has two pods for a while: the old one stays until the new one is available.
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

/** The pods of each node, oldest first. */
function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byAge = [...pods].sort((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  );
  const onNode = new Map<string, Pod[]>();
  for (const pod of byAge) onNode.set(nodeOf(pod), [...(onNode.get(nodeOf(pod)) ?? []), pod]);
  return onNode;
}

/**
 * The pods of a node to delete: those that have finished, and all but one, or during a surge all but one old
 * and one new.
 */
function superfluous(rollout: Rollout, there: readonly Pod[]): Pod[] {
  const ended = there.filter(isFinished);
  const running = there.filter((pod) => !isFinished(pod));
  if (surgeOf(rollout) === 0) return [...ended, ...running.slice(1)];
  const [newest, ...moreNew] = running.filter(rollout.isNew);
  const [old, ...moreOld] = running.filter((pod) => !rollout.isNew(pod));
  const isReplaced = newest && old && (!isReady(old) || rollout.isAvailable(newest));
  return [...ended, ...moreNew, ...moreOld, ...(isReplaced ? [old] : [])];
}
