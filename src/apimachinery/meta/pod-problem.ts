import { findCondition } from "./condition.ts";
import type { KubernetesObject } from "./object.ts";

/** The states of a container that tell why it does not run. */
interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState | undefined;
  readonly lastState?: ContainerState | undefined;
}

interface ContainerState {
  readonly waiting?: Words | undefined;
  readonly terminated?: ({ readonly exitCode: number } & Words) | undefined;
}

/** Kubernetes' own words for a state. */
interface Words {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The part of a Pod that tells why it does not run, by the types of any client. */
interface ObservedPod extends KubernetesObject {
  readonly spec?: { readonly volumes?: readonly ObservedVolume[] | undefined } | undefined;
  readonly status?: PodStatus | undefined;
}

interface ObservedVolume {
  readonly persistentVolumeClaim?: { readonly claimName: string } | undefined;
}

interface PodStatus extends Words {
  readonly phase?: string | undefined;
  readonly conditions?: readonly ({ readonly type: string; readonly status: string } & Words)[] | undefined;
  readonly initContainerStatuses?: readonly ContainerStatus[] | undefined;
  readonly containerStatuses?: readonly ContainerStatus[] | undefined;
}

/** Why a pod does not run, in Kubernetes' own words. */
export interface PodProblem {
  /** A word for a condition: `Unschedulable`, `ImagePullBackOff`, `CreateContainerConfigError`, `CrashLoopBackOff`. */
  readonly reason: string;
  /** A sentence for people: `container web: ImagePullBackOff (Back-off pulling image "nginx:1.999")`. */
  readonly message: string;
}

/**
 * Returns what keeps a pod from running; undefined if nothing does, or if it is only starting. A missing node or claim is
 * found in the scheduler's condition, and a missing image, or a missing Secret of the environment, in a container's status. A missing
 * Secret of a volume is in no status: the kubelet reports it by Events only.
 */
export function podProblem({ spec, status = {} }: ObservedPod): PodProblem | undefined {
  const scheduled = findCondition(status.conditions, "PodScheduled");
  if (scheduled?.status === "False") {
    const { reason, message = "" } = scheduled;
    const why = message || "no node was chosen";
    // The scheduler doesn't say which claims are unbound, and why is only in their Events.
    const claims = why.includes("unbound immediate PersistentVolumeClaims")
      ? (spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
      : [];
    const names = claims.length > 0 ? ` (look at the events of ${claims.join(", ")})` : "";
    return { reason: reason || "Unschedulable", message: `${why}${names}` };
  }
  const { initContainerStatuses = [], containerStatuses = [], phase, reason, message } = status;
  if (phase === "Succeeded") return undefined;
  // The kubelet evicts a pod by its status alone: its containers say no more than that they were killed.
  if (phase === "Failed" && reason) return { reason, message: message || reason };
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const problem = containerProblem(container);
    if (problem) return problem;
  }
  return phase === "Failed" ? { reason: phase, message: message || "it has failed" } : undefined;
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
