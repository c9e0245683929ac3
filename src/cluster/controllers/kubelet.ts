import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ConfigMapEnvSource, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Container, ContainerStatus, Pod, PodStatus } from "../control-loop/api/core.ts";
import { configMaps, pods, secrets } from "../control-loop/api/core.ts";
import type { Controller } from "../control-loop/controller.ts";
import { findByKey, keyOf } from "../control-loop/keys.ts";
import { isFinished, setPodCondition } from "../control-loop/pods/pod-state.ts";
import { chooseStage, type StagesContext } from "./stage.ts";
import { nodeAddress } from "../kinds/core/node/fake-node.ts";

/** How long the pod of a Job runs, in milliseconds. */
const jobDuration = 1000;

/** A ConfigMap or Secret that a pod needs to start. */
interface Reference {
  readonly resource: "configmaps" | "secrets";
  readonly name: string;
  /** The container whose environment needs it; absent for a volume, which all containers wait for. */
  readonly container?: string;
}

/**
 * Simulates a kubelet: a pod with a node becomes ready once the ConfigMaps and Secrets that it needs exist,
 * the pod of a Job succeeds after a second, one that outlives its `activeDeadlineSeconds` fails, and a pod that is
 * being deleted is removed. A pod that matches one of the user's stages is left to that stage.
 */
export function kubelet({ objects, clock, stages = [] }: StagesContext): Controller {
  const addresses = new PodAddresses();
  return {
    watches: [pods, configMaps, secrets],

    /** A pending pod may be waiting for this ConfigMap or Secret. */
    keysOf({ type, resource, object }) {
      if (type === "DELETED") return [];
      if (resource === pods) return [keyOf(object)];
      const waiting = objects
        .list(pods, object.metadata.namespace)
        .filter(({ status }) => status?.phase === "Pending");
      return waiting.map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod?.spec.nodeName || chooseStage(stages, pod)) return undefined;
      const user = `system:node:${pod.spec.nodeName}`;
      if (pod.metadata.deletionTimestamp) {
        await objects.delete(user, pod, { uid: pod.metadata.uid, gracePeriodSeconds: 0 });
        return undefined;
      }
      if (isFinished(pod)) return undefined;
      const status = observed(pod, nextStatus(pod));
      if (!isEqual(status, pod.status)) await objects.update(user, { ...pod, status }, "status");
      return nextChange({ ...pod, status });
    },
  };

  function nextStatus(pod: Pod): PodStatus {
    const now = formatTime(clock.now());
    const runs = pod.status?.phase === "Running";
    if (untilJobEnds(pod) === 0) {
      return endedStatus(pod, "Succeeded", { exitCode: 0, reason: "Completed" }, now);
    }
    if (untilDeadline(pod) === 0) return overdueStatus(pod, now);
    const missing = runs ? [] : missingReferences(pod);
    if (missing.length > 0) return waitingStatus(pod, missing, now);
    if (!runs) return runningStatus(pod, addressFor(pod), now);
    return withResources(pod, withReadiness(pod, now));
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

  function nextChange(pod: Pod): number | undefined {
    if (isFinished(pod)) return undefined;
    const times = [untilDeadline(pod), untilJobEnds(pod)].filter((time) => time !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  function untilDeadline({ spec, status }: Pod): number | undefined {
    const { activeDeadlineSeconds } = spec;
    if (activeDeadlineSeconds === undefined || !status?.startTime) return undefined;
    return Math.max(0, Date.parse(status.startTime) + activeDeadlineSeconds * 1000 - clock.now());
  }

  function untilJobEnds(pod: Pod): number | undefined {
    if (pod.spec.restartPolicy === "Always" || findController(pod)?.kind !== "Job") return undefined;
    // A waiting pod ends a second after it starts to run.
    if (pod.status?.phase !== "Running") return undefined;
    const [container] = pod.status.containerStatuses ?? [];
    const since = container?.state?.running?.startedAt ?? pod.status.startTime;
    const started = Date.parse(since ?? "") || clock.now();
    return Math.max(0, started + jobDuration - clock.now());
  }
}

/** The status of a pod whose containers are all running and ready. */
function runningStatus(pod: Pod, podIP: string, now: string): PodStatus {
  const status: PodStatus = {
    ...pod.status,
    phase: "Running",
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? now,
    ...(pod.spec.initContainers ? { initContainerStatuses: initStatuses(pod, now) } : {}),
    containerStatuses: pod.spec.containers.map((container) => running(pod, container, now)),
  };
  return withReadiness({ ...pod, status }, now);
}

/**
 * The status of a pod that waits for ConfigMaps or Secrets: all containers are waiting; the message of a container that
 * references one names it.
 */
function waitingStatus(pod: Pod, missing: readonly Reference[], now: string): PodStatus {
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
  return notReady(status, "ContainersNotReady", now);
}

/** Lists the ConfigMaps and Secrets that a pod can't start without. */
function requiredReferences({ spec }: Pod): Reference[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  return [...(spec.volumes ?? []).flatMap(referencesOfVolume), ...containers.flatMap(referencesOfContainer)];
}

function referencesOfVolume({ configMap, secret, projected }: Volume): Reference[] {
  return [
    ...required("configmaps", configMap),
    ...required("secrets", secret && { ...secret, name: secret.secretName ?? "" }),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...required("configmaps", source.configMap),
      ...required("secrets", source.secret),
    ]),
  ];
}

function referencesOfContainer(container: Container): Reference[] {
  return [
    ...(container.envFrom ?? []).flatMap(({ configMapRef, secretRef }) => [
      ...required("configmaps", configMapRef),
      ...required("secrets", secretRef),
    ]),
    ...(container.env ?? []).flatMap(({ valueFrom }) => [
      ...required("configmaps", valueFrom?.configMapKeyRef),
      ...required("secrets", valueFrom?.secretKeyRef),
    ]),
  ].map((reference) => ({ ...reference, container: container.name }));
}

/** Every reference to a ConfigMap or Secret has the fields of a ConfigMapEnvSource. */
function required(resource: Reference["resource"], source: ConfigMapEnvSource | undefined): Reference[] {
  return source?.name && !source.optional ? [{ resource, name: source.name }] : [];
}

/** The conditions that a kubelet writes, in their order. */
const ownConditions: readonly string[] = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
];

/** Sets the conditions of a running pod. It is ready once its readiness gates, which other controllers set, are true. */
function withReadiness(pod: Pod, now: string): PodStatus {
  const open = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
    pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  return ownConditions.reduce<PodStatus>((status, type) => {
    const closed = type === "Ready" && !open;
    const condition = closed ? { status: "False", reason: "ReadinessGatesNotReady" } : { status: "True" };
    return setPodCondition(status, { type, ...condition }, now);
  }, pod.status ?? {});
}

/** The status of a pod that has run for longer than its `activeDeadlineSeconds`. */
function overdueStatus(pod: Pod, now: string): PodStatus {
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
  return notReady(status, phase === "Succeeded" ? "PodCompleted" : "PodFailed", now);
}

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

/** Copies the resources of running containers into the status, after a resize. */
function withResources({ spec }: Pod, status: PodStatus): PodStatus {
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

/** Sets observedGeneration: the generation of the pod for which a status was computed. */
function observed({ metadata }: Pod, status: PodStatus): PodStatus {
  const observedGeneration = metadata.generation;
  if (observedGeneration === undefined) return status;
  const { conditions = [] } = status;
  return {
    ...status,
    observedGeneration,
    conditions: conditions.map((each) =>
      ownConditions.includes(each.type) ? { ...each, observedGeneration } : each,
    ),
  };
}

/** Allocates pod IPs from 10.244.0.1 up; no two pods share one. */
class PodAddresses {
  #next = 1;

  take(inUse: ReadonlySet<string>): string {
    for (;;) {
      const address = format(this.#next);
      this.#next = (this.#next % lastHost) + 1;
      if (!inUse.has(address)) return address;
    }
  }
}

/** The number of hosts in 10.244.0.0/16, without the network and broadcast addresses. */
const lastHost = 2 ** 16 - 2;

function format(host: number): string {
  return `10.244.${host >> 8}.${host & 255}`;
}
