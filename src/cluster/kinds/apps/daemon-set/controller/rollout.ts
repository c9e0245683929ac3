import type { DaemonSet } from "./daemon-sets.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { scaledCount } from "../../../../control-loop/counts.ts";
import type { DaemonStep } from "./next-daemon-step.ts";

/** A DaemonSet whose pods may have an older template. */
export interface Rollout {
  readonly set: DaemonSet;
  readonly wanted: readonly string[];
  /** The pods of each node that are not being deleted. */
  readonly onNode: ReadonlyMap<string, readonly Pod[]>;
  readonly isNew: (pod: Pod) => boolean;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** How many nodes may have a second pod during an update. */
export function surgeOf({ set, wanted }: Rollout): number {
  if (set.spec.updateStrategy?.type === "OnDelete") return 0;
  return scaledCount(set.spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, wanted.length, Math.ceil);
}

/** Chooses old pods to delete, up to maxUnavailable; those that are not available are deleted in any case. */
export function replaceInPlace({ set, wanted, onNode, isNew, isAvailable }: Rollout): DaemonStep {
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
export function replaceWithSurge(rollout: Rollout): DaemonStep {
  const { onNode, isNew, isAvailable } = rollout;
  const nodes = [...onNode];
  const underWay = nodes.filter(([, pods]) => pods.length > 1).length;
  const outdated = nodes.filter(([, pods]) => pods.length === 1 && !pods.some(isNew));
  const broken = outdated.filter(([, pods]) => !pods.some(isAvailable));
  const serving = outdated.filter(([, pods]) => pods.some(isAvailable));
  const room = Math.max(0, surgeOf(rollout) - underWay);
  return { create: [...broken, ...serving.slice(0, room)].map(([name]) => name), remove: [] };
}
