import { type Clock, formatTime, systemClock } from "@tsbuilder/apimachinery/time";
import type { Client, ObjectCache, Stored } from "@tsbuilder/runtime";
import { createCache } from "@tsbuilder/runtime/advanced";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@tsbuilder/runtime/k8s/core/v1";

/** The outcome of a pod. Default: it runs and is ready; a pod of a Job succeeds. */
export type PodOutcome =
  | "ready"
  | "unready"
  | "no-image"
  | "failed"
  /** Its init container exits with this code each time. */
  | { readonly initExitCode: number }
  /** Its container exits with this code. */
  | { readonly exitCode: number };

/** Returns the outcome of a pod; undefined for the default. */
export type DecideOutcome = (pod: Pod) => PodOutcome | undefined;

/** The provisioner whose StorageClasses get volumes here, which grow with their claims. */
export const volumeProvisioner = "volumes.example.com";

/**
 * Does the work of scheduler, kubelet and volume driver on a control plane without nodes: sets each pod's status at
 * once, deletes terminating pods, and creates volumes of the size that claims request.
 */
export class FakeKubelet {
  readonly #client: Client;
  readonly #decide: DecideOutcome;
  readonly #clock: Clock;
  readonly #cache: ObjectCache;

  constructor(client: Client, decide: DecideOutcome = () => undefined, clock: Clock = systemClock) {
    this.#client = client;
    this.#decide = decide;
    this.#clock = clock;
    this.#cache = createCache(client, { clock });
    this.#cache.informer(Pod).subscribe(({ type, object }) => {
      if (type !== "delete") this.#report(object);
    });
    this.#cache.informer(PersistentVolumeClaim).subscribe(({ type, object }) => {
      // A conflict means a newer version, whose event follows.
      if (type !== "delete") provision(this.#client, object).catch(() => undefined);
    });
    this.#cache.start();
  }

  /** Reports all pods again, after the decision has changed. */
  reportAgain(): void {
    for (const pod of this.#cache.informer(Pod).list()) this.#report(pod);
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  #report(pod: Stored<Pod>): void {
    const time = formatTime(this.#clock.now());
    // A conflict means a newer version, whose event follows.
    report(this.#client, pod, { decide: this.#decide, time }).catch(() => undefined);
  }
}

/** The inputs of a report. */
interface ReportOptions {
  readonly decide: DecideOutcome;
  readonly time: string;
}

async function report(client: Client, pod: Stored<Pod>, { decide, time }: ReportOptions): Promise<void> {
  const { namespace, name } = pod.metadata;
  if (pod.metadata.deletionTimestamp) {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    return;
  }
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return;
  const outcome = decide(pod) ?? (pod.spec?.restartPolicy === "Never" ? "succeeded" : "ready");
  if (reportedOutcome(pod) === JSON.stringify(outcome)) return;
  await client.patchStatus(Pod, pod, { ...pod.status, ...statusFor(pod, outcome, time) });
}

/** The status records its outcome, so that it is written once. */
function reportedOutcome({ status }: Pod): string | undefined {
  return status?.message;
}

function statusFor(pod: Pod, outcome: PodOutcome | "succeeded", time: string): NonNullable<Pod["status"]> {
  const isReady = outcome === "ready";
  const condition = (type: string, status: boolean) => ({
    type,
    status: status ? ("True" as const) : ("False" as const),
    lastTransitionTime: time,
  });
  const initialized = outcome !== "no-image" && !(typeof outcome === "object" && "initExitCode" in outcome);
  return {
    message: JSON.stringify(outcome),
    phase: phaseOf(outcome, pod),
    podIP: "10.1.0.1",
    podIPs: [{ ip: "10.1.0.1" }],
    startTime: pod.status?.startTime ?? time,
    conditions: [
      condition("PodScheduled", true),
      condition("Initialized", initialized),
      condition("ContainersReady", isReady),
      condition("Ready", isReady),
    ],
    initContainerStatuses: containers(pod.spec?.initContainers, initState(outcome, time), initialized),
    containerStatuses: containers(pod.spec?.containers, mainState(outcome, time), isReady),
  };
}

function phaseOf(
  outcome: PodOutcome | "succeeded",
  { spec }: Pod,
): "Running" | "Pending" | "Succeeded" | "Failed" {
  if (outcome === "succeeded") return "Succeeded";
  const hasEnded = typeof outcome === "object" && "exitCode" in outcome && spec?.restartPolicy === "Never";
  if (outcome === "failed" || hasEnded) return "Failed";
  return outcome === "no-image" || (typeof outcome === "object" && "initExitCode" in outcome)
    ? "Pending"
    : "Running";
}

function initState(outcome: PodOutcome | "succeeded", time: string): ContainerState {
  if (outcome === "no-image") return waiting("ImagePullBackOff");
  return terminated(
    typeof outcome === "object" && "initExitCode" in outcome ? outcome.initExitCode : 0,
    time,
  );
}

function mainState(outcome: PodOutcome | "succeeded", time: string): ContainerState {
  if (outcome === "ready" || outcome === "unready") return { running: { startedAt: time } };
  if (outcome === "succeeded" || outcome === "failed") {
    return terminated(outcome === "failed" ? 1 : 0, time);
  }
  if (typeof outcome === "object" && "exitCode" in outcome) return terminated(outcome.exitCode, time);
  return waiting(outcome === "no-image" ? "ImagePullBackOff" : "PodInitializing");
}

function terminated(exitCode: number, time: string): ContainerState {
  return { terminated: { exitCode, startedAt: time, finishedAt: time } };
}

function waiting(reason: string): ContainerState {
  return { waiting: { reason } };
}

function containers(
  specs: readonly Container[] = [],
  state: ContainerState,
  ready: boolean,
): ContainerStatus[] {
  const common = { imageID: "", ready, started: ready, restartCount: 0, state };
  return specs.map(({ name, image = "" }) => ({ ...common, name, image }));
}

async function provision(client: Client, claim: PersistentVolumeClaim): Promise<void> {
  const { storageClassName = "", resources, volumeName } = claim.spec ?? {};
  if (!storageClassName.startsWith("test-")) return;
  const { namespace, name = "", uid = "" } = claim.metadata;
  const storage = resources?.requests?.["storage"] ?? "1Gi";
  if (!volumeName) {
    await client.create(PersistentVolume, {
      metadata: {
        name: `volume-${uid}`,
        annotations: { "pv.kubernetes.io/provisioned-by": volumeProvisioner },
      },
      spec: {
        capacity: { storage },
        accessModes: ["ReadWriteOnce"],
        storageClassName,
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: namespace!, name, uid },
        hostPath: { path: "/nowhere" },
      },
    });
    return;
  }
  if (!claim.status?.capacity?.["storage"] || claim.status.capacity["storage"] === storage) return;
  await client.patch(PersistentVolume, { name: volumeName }, { merge: { spec: { capacity: { storage } } } });
  await client.patchStatus(PersistentVolumeClaim, claim, {
    ...claim.status,
    capacity: { ...claim.status.capacity, storage },
  });
}
