import type { Container, ContainerStatus, Pod, PodStatus } from "../../control-loop/api/core.ts";
import { setPodCondition } from "../../control-loop/pods/pod-conditions.ts";
import type { Reference } from "./missing-references.ts";

/** Where a pod runs. */
export interface PodHome {
  readonly podIP: string;
  readonly hostIP: string;
}

/** The status of a pod whose containers are all running and ready. */
export function runningStatus(pod: Pod, { podIP, hostIP }: PodHome, now: string): PodStatus {
  const status: PodStatus = {
    ...pod.status,
    phase: "Running",
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? now,
    ...(pod.spec.initContainers ? { initContainerStatuses: initStatuses(pod, now) } : {}),
    containerStatuses: pod.spec.containers.map((container) => running(pod, container, now)),
  };
  return withReadiness({ ...pod, status }, now);
}

/**
 * The status of a pod that waits for ConfigMaps or Secrets: all containers are waiting, and those that
 * reference one say for what.
 */
export function waitingStatus(pod: Pod, missing: readonly Reference[], now: string): PodStatus {
  const containerStatuses = pod.spec.containers.map((container) => {
    const reference = missing.find((it) => it.container === container.name);
    const kind = reference?.resource === "secrets" ? "secret" : "configmap";
    const waiting = reference
      ? { reason: "CreateContainerConfigError", message: `${kind} "${reference.name}" not found` }
      : { reason: "ContainerCreating" };
    return { ...base(pod, container), containerID: "", ready: false, started: false, state: { waiting } };
  });
  const status: PodStatus = {
    ...pod.status,
    phase: "Pending",
    startTime: pod.status?.startTime ?? now,
    containerStatuses,
  };
  return (["Ready", "ContainersReady"] as const).reduce(
    (next, type) => setPodCondition(next, { type, status: "False", reason: "ContainersNotReady" }, now),
    status,
  );
}

/**
 * Sets the conditions of a running pod. It is ready once its readiness gates, which other controllers set,
 * are true.
 */
export function withReadiness(pod: Pod, now: string): PodStatus {
  const open = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
    pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  const ready = open
    ? ({ type: "Ready", status: "True" } as const)
    : ({ type: "Ready", status: "False", reason: "ReadinessGatesNotReady" } as const);
  return [
    { type: "PodReadyToStartContainers", status: "True" } as const,
    { type: "Initialized", status: "True" } as const,
    ready,
    { type: "ContainersReady", status: "True" } as const,
    { type: "PodScheduled", status: "True" } as const,
  ].reduce((status, condition) => setPodCondition(status, condition, now), pod.status ?? {});
}

/** The status of a pod whose containers have all succeeded. */
export function succeededStatus(pod: Pod, now: string): PodStatus {
  return endedStatus(pod, "Succeeded", { exitCode: 0, reason: "Completed" }, now);
}

/** The status of a pod that has run for longer than its `activeDeadlineSeconds`. */
export function overdueStatus(pod: Pod, now: string): PodStatus {
  return {
    ...endedStatus(pod, "Failed", { exitCode: 137, reason: "Error" }, now),
    reason: "DeadlineExceeded",
    message: "Pod was active on the node longer than the specified deadline",
  };
}

function endedStatus(
  pod: Pod,
  phase: "Succeeded" | "Failed",
  ending: { readonly exitCode: number; readonly reason: string },
  now: string,
): PodStatus {
  const terminated = { ...ending, startedAt: pod.status?.startTime ?? now, finishedAt: now };
  const status: PodStatus = {
    ...pod.status,
    phase,
    containerStatuses: pod.spec.containers.map((container) => ({
      ...base(pod, container),
      ready: false,
      started: false,
      state: { terminated },
    })),
  };
  const reason = phase === "Succeeded" ? "PodCompleted" : "PodFailed";
  return (["Ready", "ContainersReady"] as const).reduce(
    (next, type) => setPodCondition(next, { type, status: "False", reason }, now),
    status,
  );
}

/** An init container with restartPolicy Always is a sidecar and keeps running. The others have completed. */
function initStatuses(pod: Pod, now: string): ContainerStatus[] {
  return (pod.spec.initContainers ?? []).map((container) =>
    container.restartPolicy === "Always"
      ? running(pod, container, now)
      : {
          ...base(pod, container),
          ready: true,
          started: false,
          state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
        },
  );
}

function running(pod: Pod, container: Container, now: string): ContainerStatus {
  return { ...base(pod, container), ready: true, started: true, state: { running: { startedAt: now } } };
}

function base({ metadata }: Pod, container: Container): Omit<ContainerStatus, "ready"> {
  const { name, image = "" } = container;
  return {
    name,
    image,
    imageID: `tsbuilder://${image}`,
    containerID: `tsbuilder://${metadata.uid}/${name}`,
    restartCount: 0,
    lastState: {},
    ...resourcesOf(container),
  };
}

/** The resources of running containers after a resize. */
export function withResources({ spec }: Pod, status: PodStatus): PodStatus {
  const { containerStatuses } = status;
  if (!containerStatuses) return status;
  const resized = containerStatuses.map((each) => {
    const container = spec.containers.find(({ name }) => name === each.name);
    return container && each.state?.running ? { ...each, ...resourcesOf(container) } : each;
  });
  return { ...status, containerStatuses: resized };
}

function resourcesOf({
  resources = {},
}: Container): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const { requests } = resources;
  return { resources, ...(requests && { allocatedResources: requests }) };
}

/** The conditions that a kubelet writes. */
const own = new Set(["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]);

/** Records for which generation of the pod a status was computed. */
export function observed({ metadata }: Pod, status: PodStatus): PodStatus {
  const observedGeneration = metadata.generation;
  if (observedGeneration === undefined) return status;
  const { conditions = [] } = status;
  return {
    ...status,
    observedGeneration,
    conditions: conditions.map((each) => (own.has(each.type) ? { ...each, observedGeneration } : each)),
  };
}
