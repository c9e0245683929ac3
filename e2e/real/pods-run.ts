import { type Clock, formatTime, systemClock } from "@tsbuilder/apimachinery/time";
import { type Cache, type Client, createCache } from "@tsbuilder/runtime";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@tsbuilder/runtime/k8s/core/v1";

/** What becomes of a pod: it runs and is ready, by default. Pods of Jobs succeed. */
export type Fate =
  | "ready"
  | "unready"
  | "no-image"
  | "failed"
  /** Its init container ends with this code, again and again. */
  | { readonly refusedWith: number }
  /** Its container does. */
  | { readonly endedWith: number };

/** Says what becomes of a pod; without a word, what usually does. */
export type Fates = (pod: Pod) => Fate | undefined;

/** The provisioner of storage classes whose volumes are made here, and grow with their claims. */
export const volumeProvisioner = "volumes.example.com";

/**
 * Plays scheduler, kubelet and volume driver on a control plane without nodes: every pod meets its fate at once and
 * ends when it is deleted, and volumes are as large as they are asked for.
 */
export class PodsRun {
  readonly #client: Client;
  readonly #fates: Fates;
  readonly #clock: Clock;
  readonly #cache: Cache;

  constructor(client: Client, fates: Fates = () => undefined, clock: Clock = systemClock) {
    this.#client = client;
    this.#fates = fates;
    this.#clock = clock;
    this.#cache = createCache(client, { clock });
    this.#cache.informer(Pod).subscribe(({ type, object }) => {
      if (type !== "delete") this.#meet(object);
    });
    this.#cache.informer(PersistentVolumeClaim).subscribe(({ type, object }) => {
      // Whoever changed it since is told of again.
      if (type !== "delete") provision(this.#client, object).catch(() => undefined);
    });
    this.#cache.start();
  }

  /** Looks at all pods once more, after fates have changed. */
  lookAgain(): void {
    for (const pod of this.#cache.informer(Pod).list()) this.#meet(pod);
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  #meet(pod: Pod): void {
    const time = formatTime(this.#clock.now());
    // Whoever changed it since is told of again.
    settle(this.#client, pod, { fates: this.#fates, time }).catch(() => undefined);
  }
}

/** What pods are told of their fates with, and when. */
interface Telling {
  readonly fates: Fates;
  readonly time: string;
}

async function settle(client: Client, pod: Pod, { fates, time }: Telling): Promise<void> {
  const { namespace, name = "" } = pod.metadata;
  if (pod.metadata.deletionTimestamp) {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    return;
  }
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return;
  const fate = fates(pod) ?? (pod.spec?.restartPolicy === "Never" ? "succeeded" : "ready");
  if (fateOf(pod) === JSON.stringify(fate)) return;
  await client.patchStatus(Pod, pod, { ...pod.status, ...statusFor(pod, fate, time) });
}

/** The status says which fate it was made for, so that it is written once. */
function fateOf({ status }: Pod): string | undefined {
  return status?.message;
}

function statusFor(pod: Pod, fate: Fate | "succeeded", time: string): NonNullable<Pod["status"]> {
  const isReady = fate === "ready";
  const condition = (type: string, status: boolean) => ({
    type,
    status: status ? ("True" as const) : ("False" as const),
    lastTransitionTime: time,
  });
  const initialized = fate !== "no-image" && !(typeof fate === "object" && "refusedWith" in fate);
  return {
    message: JSON.stringify(fate),
    phase: phaseOf(fate),
    podIP: "10.1.0.1",
    podIPs: [{ ip: "10.1.0.1" }],
    startTime: pod.status?.startTime ?? time,
    conditions: [
      condition("PodScheduled", true),
      condition("Initialized", initialized),
      condition("ContainersReady", isReady),
      condition("Ready", isReady),
    ],
    initContainerStatuses: containers(pod.spec?.initContainers, initState(fate, time), initialized),
    containerStatuses: containers(pod.spec?.containers, mainState(fate, time), isReady),
  };
}

function phaseOf(fate: Fate | "succeeded"): "Running" | "Pending" | "Succeeded" | "Failed" {
  if (fate === "succeeded") return "Succeeded";
  if (fate === "failed") return "Failed";
  return fate === "no-image" || (typeof fate === "object" && "refusedWith" in fate) ? "Pending" : "Running";
}

function initState(fate: Fate | "succeeded", time: string): ContainerState {
  if (fate === "no-image") return waiting("ImagePullBackOff");
  return ended(typeof fate === "object" && "refusedWith" in fate ? fate.refusedWith : 0, time);
}

function mainState(fate: Fate | "succeeded", time: string): ContainerState {
  if (fate === "ready" || fate === "unready") return { running: { startedAt: time } };
  if (fate === "succeeded" || fate === "failed") {
    return ended(fate === "failed" ? 1 : 0, time);
  }
  if (typeof fate === "object" && "endedWith" in fate) return ended(fate.endedWith, time);
  return waiting(fate === "no-image" ? "ImagePullBackOff" : "PodInitializing");
}

function ended(exitCode: number, time: string): ContainerState {
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
