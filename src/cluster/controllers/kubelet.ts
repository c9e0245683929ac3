import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Container, ContainerStatus, Pod, PodStatus } from "../control-loop/api/core.ts";
import { configMaps, nodes, pods, secrets } from "../control-loop/api/core.ts";
import type { Controller } from "../control-loop/controller.ts";
import { findByKey, keyOf } from "../control-loop/keys.ts";
import { withoutDelay } from "../control-loop/pace.ts";
import { type DataReference, dataReferences } from "../control-loop/pods/pod-references.ts";
import { isFinished, setPodCondition } from "../control-loop/pods/pod-state.ts";
import { chooseStage, type StagesContext } from "./stage.ts";
import { hasKubelet, isUnreachable, nodeAddress } from "../kinds/core/node/fake-node.ts";

/** A ConfigMap or Secret that a pod needs to start. */
interface Reference extends DataReference {
  /** The container whose environment needs it; absent for a volume, which all containers wait for. */
  readonly container?: string;
}

/** Milliseconds until a pod starts from which on its images can't be pulled meanwhile. */
const longestPull = 60_000;

/**
 * Simulates the kubelets of nodes that have none: a pod with a node becomes ready once the ConfigMaps and Secrets that it needs exist,
 * the pod of a Job succeeds after a while, one that outlives its `activeDeadlineSeconds` fails, and a pod that is
 * being deleted is removed. Pods on a node that can't be reached, or that has a kubelet, stay as they are. A pod that matches one of the user's stages
 * is left to that stage.
 */
export function kubelet({ objects, clock, stages = [], pace = withoutDelay }: StagesContext): Controller {
  const addresses = new PodAddresses();
  return {
    watches: [pods, configMaps, secrets, nodes],

    /** A pending pod may be waiting for this ConfigMap or Secret, and all pods of a node for the node. */
    keysOf({ type, resource, object }) {
      if (type === "DELETED") return [];
      if (resource === pods) return [keyOf(object)];
      if (resource === nodes)
        return objects
          .list(pods)
          .filter(({ spec }) => spec.nodeName === object.metadata.name)
          .map(keyOf);
      const waiting = objects
        .list(pods, object.metadata.namespace)
        .filter(({ status }) => status?.phase === "Pending");
      return waiting.map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod?.spec.nodeName || chooseStage(stages, pod)) return undefined;
      const node = objects.get(nodes, undefined, pod.spec.nodeName);
      if (isUnreachable(node) || hasKubelet(node)) return undefined;
      const user = `system:node:${pod.spec.nodeName}`;
      if (pod.metadata.deletionTimestamp) {
        const left = untilStopped(pod);
        if (left > 0) return left;
        await objects.delete(user, pod, { uid: pod.metadata.uid, gracePeriodSeconds: 0 });
        return undefined;
      }
      if (isFinished(pod)) return undefined;
      const next = nextStatus(pod);
      if (!next) return nextChange(pod);
      const status = withGeneration(pod, next);
      if (!isEqual(status, pod.status)) await objects.update(user, { ...pod, status }, "status");
      return nextChange({ ...pod, status });
    },
  };

  /** Returns the status that a pod should have now; undefined until its containers have been created. */
  function nextStatus(pod: Pod): PodStatus | undefined {
    const now = formatTime(clock.now());
    const isRunning = pod.status?.phase === "Running";
    if (untilJobEnds(pod) === 0) {
      return endedStatus(pod, "Succeeded", { exitCode: 0, reason: "Completed" }, now);
    }
    if (untilDeadline(pod) === 0) return overdueStatus(pod, now);
    const missing = isRunning ? [] : missingReferences(pod);
    if (missing.length > 0) return waitingStatus(pod, (container) => missingReason(missing, container), now);
    const left = isRunning ? 0 : untilStarted(pod);
    if (left > longestPull) return waitingStatus(pod, backOffReason, now);
    if (left > 0) return undefined;
    const running = isRunning ? pod : { ...pod, status: runningStatus(pod, addressFor(pod), now) };
    return withResources(pod, withReadiness(running, untilReady(running) === 0, now));
  }

  function missingReferences(pod: Pod): Reference[] {
    return requiredReferences(pod).filter(({ resource, name }) => {
      return objects.get(resource, pod.metadata.namespace, name) === undefined;
    });
  }

  function addressFor(pod: Pod): string {
    if (pod.spec.hostNetwork) return nodeAddress;
    const inUse = objects.list(pods).flatMap(({ status }) => (status?.podIP ? [status.podIP] : []));
    return addresses.take(new Set(inUse));
  }

  /** The milliseconds until the status changes without an event. */
  function nextChange(pod: Pod): number | undefined {
    if (isFinished(pod)) return undefined;
    const untilNext = pod.status?.phase === "Running" ? untilReady(pod) : untilStarted(pod);
    const times = [untilDeadline(pod), untilJobEnds(pod), untilNext || undefined].filter(
      (time) => time !== undefined,
    );
    const next = Math.min(...times);
    return next === Infinity ? undefined : next;
  }

  function untilStarted(pod: Pod): number {
    const { lastTransitionTime } = pod.status?.conditions?.find(({ type }) => type === "PodScheduled") ?? {};
    return until(lastTransitionTime ?? pod.metadata.creationTimestamp!, pace("start", pod));
  }

  /** The milliseconds until all containers are ready, each of which may have been started again. */
  function untilReady(pod: Pod): number {
    const starts = (pod.status?.containerStatuses ?? []).flatMap(
      ({ state }) => state?.running?.startedAt ?? [],
    );
    return Math.max(0, ...starts.map((start) => until(start, pace("ready", pod))));
  }

  /** The milliseconds until the containers of a deleted pod have ended: at the latest, when its grace period is over. */
  function untilStopped(pod: Pod): number {
    if (pod.status?.phase !== "Running") return 0;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const grace = deletionGracePeriodSeconds * 1000;
    return until(deletionTimestamp!, Math.min(grace, pace("stop", pod)) - grace);
  }

  function until(time: string, milliseconds: number): number {
    return Math.max(0, Date.parse(time) + milliseconds - clock.now());
  }

  function untilDeadline({ spec, status }: Pod): number | undefined {
    const { activeDeadlineSeconds } = spec;
    if (activeDeadlineSeconds === undefined || !status?.startTime) return undefined;
    return Math.max(0, Date.parse(status.startTime) + activeDeadlineSeconds * 1000 - clock.now());
  }

  function untilJobEnds(pod: Pod): number | undefined {
    if (pod.spec.restartPolicy === "Always" || findController(pod)?.kind !== "Job") return undefined;
    if (pod.status?.phase !== "Running") return undefined;
    const [container] = pod.status.containerStatuses ?? [];
    const since = container?.state?.running?.startedAt ?? pod.status.startTime;
    const started = Date.parse(since ?? "") || clock.now();
    return Math.max(0, started + pace("run", pod) - clock.now());
  }
}

/** The status of a pod whose containers are all running. */
function runningStatus(pod: Pod, podIP: string, now: string): PodStatus {
  return {
    ...pod.status,
    phase: "Running",
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? now,
    ...(pod.spec.initContainers ? { initContainerStatuses: initStatuses(pod, now) } : {}),
    containerStatuses: pod.spec.containers.map((container) => runningContainer(pod, container, now)),
  };
}

/** The reason why a container waits, as its status has it. */
interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

/** The containers that refer to missing ConfigMaps or Secrets say so. */
function missingReason(missing: readonly Reference[], { name }: Container): Waiting {
  const reference = missing.find(({ container }) => container === name);
  const kind = reference?.resource === "secrets" ? "secret" : "configmap";
  return reference
    ? { reason: "CreateContainerConfigError", message: `${kind} "${reference.name}" not found` }
    : { reason: "ContainerCreating" };
}

function backOffReason({ image = "" }: Container): Waiting {
  return { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` };
}

/** The status of a pod whose containers wait. */
function waitingStatus(pod: Pod, waitingFor: (container: Container) => Waiting, now: string): PodStatus {
  const containerStatuses = pod.spec.containers.map((container) => ({
    ...baseStatus(pod, container),
    containerID: "",
    state: { waiting: waitingFor(container) },
  }));
  const status: PodStatus = {
    ...pod.status,
    phase: "Pending",
    startTime: pod.status?.startTime ?? now,
    containerStatuses,
  };
  return notReady(status, "ContainersNotReady", now);
}

/** Lists the ConfigMaps and Secrets that a pod can't start without. Those of its images are not needed: none is pulled. */
function requiredReferences({ spec }: Pod): Reference[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [
    ...dataReferences(spec.volumes),
    ...containers.flatMap((each) => [...dataReferences(each)].map((it) => ({ ...it, container: each.name }))),
  ].filter(({ optional }) => !optional);
}

/** The conditions that a kubelet writes, in their order. */
const kubeletConditions: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
];

/**
 * Sets whether the containers of a running pod are ready, and its conditions. The pod is ready once its readiness gates, which
 * other controllers set, are true, too.
 */
function withReadiness(pod: Pod, isReady: boolean, now: string): PodStatus {
  const containerStatuses = pod.status?.containerStatuses?.map((container) =>
    container.state?.running ? { ...container, ready: isReady, started: isReady } : container,
  );
  const areGatesOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
    pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  const obstacles: Readonly<Record<string, string>> = isReady
    ? { ...(!areGatesOpen && { Ready: "ReadinessGatesNotReady" }) }
    : { Ready: "ContainersNotReady", ContainersReady: "ContainersNotReady" };
  return kubeletConditions.reduce<PodStatus>(
    (status, type) => {
      const reason = obstacles[type];
      const condition = reason === undefined ? { status: "True" } : { status: "False", reason };
      return setPodCondition(status, { type, ...condition }, now);
    },
    { ...pod.status, ...(containerStatuses && { containerStatuses }) },
  );
}

/** The exit code of a process that SIGKILL ends: 128 and the number of the signal. */
const killedExitCode = 137;

/** The status of a pod that has run for longer than its `activeDeadlineSeconds`. */
function overdueStatus(pod: Pod, now: string): PodStatus {
  return {
    ...endedStatus(pod, "Failed", { exitCode: killedExitCode, reason: "Error" }, now),
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
      ...baseStatus(pod, container),
      state: { terminated },
    })),
  };
  return notReady(status, phase === "Succeeded" ? "PodCompleted" : "PodFailed", now);
}

/** Sets both conditions of readiness to False. */
function notReady(status: PodStatus, reason: string, now: string): PodStatus {
  return (["Ready", "ContainersReady"] as const).reduce(
    (next, type) => setPodCondition(next, { type, status: "False", reason }, now),
    status,
  );
}

/** An init container with restartPolicy Always is a sidecar and keeps running. The others have completed. */
function initStatuses(pod: Pod, now: string): ContainerStatus[] {
  return (pod.spec.initContainers ?? []).map((container) =>
    container.restartPolicy === "Always"
      ? runningContainer(pod, container, now)
      : {
          ...baseStatus(pod, container),
          ready: true,
          state: { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
        },
  );
}

function runningContainer(pod: Pod, container: Container, now: string): ContainerStatus {
  return {
    ...baseStatus(pod, container),
    ready: true,
    started: true,
    state: { running: { startedAt: now } },
  };
}

/** The status of a container that does not run, without its state. */
function baseStatus({ metadata }: Pod, container: Container): ContainerStatus {
  const { name, image = "" } = container;
  return {
    name,
    image,
    imageID: `tsbuilder://${image}`,
    containerID: `tsbuilder://${metadata.uid}/${name}`,
    restartCount: 0,
    lastState: {},
    ...resourcesOf(container),
    ready: false,
    started: false,
  };
}

/** Copies the resources of running containers into the status, after a resize. */
function withResources({ spec }: Pod, status: PodStatus): PodStatus {
  const { containerStatuses } = status;
  if (!containerStatuses) return status;
  const resized = containerStatuses.map((containerStatus) => {
    const container = spec.containers.find(({ name }) => name === containerStatus.name);
    const isResized = container && containerStatus.state?.running;
    return isResized ? { ...containerStatus, ...resourcesOf(container) } : containerStatus;
  });
  return { ...status, containerStatuses: resized };
}

function resourcesOf({
  resources = {},
}: Container): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const { requests } = resources;
  return { resources, ...(requests && { allocatedResources: requests }) };
}

/** Sets observedGeneration to the generation of the pod for which the status was computed. */
function withGeneration({ metadata }: Pod, status: PodStatus): PodStatus {
  const observedGeneration = metadata.generation;
  if (observedGeneration === undefined) return status;
  const { conditions = [] } = status;
  return {
    ...status,
    observedGeneration,
    conditions: conditions.map((condition) =>
      kubeletConditions.includes(condition.type) ? { ...condition, observedGeneration } : condition,
    ),
  };
}

/** Allocates pod IPs from 10.244.0.1 up; no two pods share one. */
class PodAddresses {
  #next = 1;

  take(inUse: ReadonlySet<string>): string {
    for (;;) {
      const address = addressOf(this.#next);
      this.#next = (this.#next % lastHost) + 1;
      if (!inUse.has(address)) return address;
    }
  }
}

/** The number of hosts in 10.244.0.0/16, without the network and broadcast addresses. */
const lastHost = 2 ** 16 - 2;

/** The address of a host by its number in 10.244.0.0/16. */
function addressOf(host: number): string {
  return `10.244.${host >> 8}.${host & 255}`;
}
