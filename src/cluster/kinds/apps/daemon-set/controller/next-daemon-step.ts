import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { DaemonSet } from "./daemon-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { isAvailable, isFinished, isReady } from "../../../../control-loop/pods/pod-state.ts";
import { type DaemonNodes, isOfRevision, nodeOf } from "./daemon-pods.ts";
import { scaledCount } from "../../../../control-loop/counts.ts";

/** What to do next: nodes to create pods for, and pods to delete. */
interface DaemonStep {
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

/** A DaemonSet whose pods may have an older template. */
interface Rollout {
  readonly set: DaemonSet;
  readonly wanted: readonly string[];
  /** The pods of each node that are not being deleted. */
  readonly onNode: ReadonlyMap<string, readonly Pod[]>;
  readonly isNew: (pod: Pod) => boolean;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** How many nodes may have a second pod during an update. */
function surgeOf({ set, wanted }: Rollout): number {
  if (set.spec.updateStrategy?.type === "OnDelete") return 0;
  return scaledCount(set.spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, wanted.length, Math.ceil);
}

/** Chooses old pods to delete, up to maxUnavailable; those that are not available are deleted in any case. */
function replaceInPlace({ set, wanted, onNode, isNew, isAvailable }: Rollout): DaemonStep {
  const limit = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  const maxUnavailable = Math.max(1, scaledCount(limit, wanted.length, Math.ceil));
  const there = [...onNode.values()].flat();
  const room = Math.max(0, maxUnavailable - (wanted.length - there.filter(isAvailable).length));
  const outdated = there.filter((pod) => !isNew(pod));
  const broken = outdated.filter((pod) => !isAvailable(pod));
  return { create: [], remove: [...broken, ...outdated.filter(isAvailable).slice(0, room)] };
}

/**
 * Chooses nodes that get a new pod beside an old one, up to maxSurge; if the old one is not available, in any
 * case.
 */
function replaceWithSurge(rollout: Rollout): DaemonStep {
  const { onNode, isNew, isAvailable } = rollout;
  const nodes = [...onNode];
  const underWay = nodes.filter(([, pods]) => pods.length > 1).length;
  const outdated = nodes.filter(([, pods]) => pods.length === 1 && !pods.some(isNew));
  const broken = outdated.filter(([, pods]) => !pods.some(isAvailable));
  const serving = outdated.filter(([, pods]) => pods.some(isAvailable));
  const room = Math.max(0, surgeOf(rollout) - underWay);
  return { create: [...broken, ...serving.slice(0, room)].map(([name]) => name), remove: [] };
}
