import { findCondition } from "@tsbuilder/apimachinery/meta";
import type { ContainerStatus, Pod } from "../k8s/core/v1.ts";

/** Why a pod does not run, in Kubernetes' own words. */
export interface PodProblem {
  /** A word for a condition: `Unschedulable`, `ImagePullBackOff`, `CreateContainerConfigError`, `CrashLoopBackOff`. */
  readonly reason: string;
  /** A sentence for people: `container web: ImagePullBackOff (Back-off pulling image "nginx:1.999")`. */
  readonly message: string;
}

/**
 * Returns what keeps a pod from running; undefined if nothing does, or if it is only starting. The scheduler tells of
 * missing nodes and claims, and a container of a missing image, or a missing Secret of its environment. What a mount lacks is
 * in no status: the kubelet tells it by events only.
 */
export function podProblem({ status = {} }: Pod): PodProblem | undefined {
  const scheduled = findCondition(status.conditions, "PodScheduled");
  if (scheduled?.status === "False") {
    const { reason, message = "" } = scheduled;
    return { reason: reason || "Unschedulable", message: message || "no node was chosen" };
  }
  const { initContainerStatuses = [], containerStatuses = [], phase, reason, message } = status;
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const problem = containerProblem(container);
    if (problem) return problem;
  }
  // Such as an eviction, which leaves no containers.
  return phase === "Failed" ? { reason: reason || phase, message: message || "it has failed" } : undefined;
}

function containerProblem({ name, state, lastState }: ContainerStatus): PodProblem | undefined {
  const { waiting, terminated } = state ?? {};
  if (terminated && terminated.exitCode !== 0) {
    const message = `container ${name} exited with ${terminated.exitCode}`;
    return { reason: terminated.reason || "Error", message };
  }
  const reason = waiting?.reason;
  if (!reason || reason === "PodInitializing" || reason === "ContainerCreating") return undefined;
  const why = waiting.message ? ` (${waiting.message})` : "";
  const code = lastState?.terminated?.exitCode;
  const last = code === undefined ? "" : `; it exited with ${code}: see its log`;
  return { reason, message: `container ${name}: ${reason}${why}${last}` };
}
