import type { Client } from "@tsbuilder/runtime";
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@tsbuilder/runtime/k8s/core/v1";

/** What becomes of a pod: it runs and is ready, unless told otherwise. Pods of Jobs succeed. */
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

const time = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/**
 * Plays scheduler, kubelet and volume driver on a control plane without nodes: every pod meets its fate at once and
 * ends when it is deleted, and volumes are as large as they are asked for.
 */
export async function letPodsRun(
  client: Client,
  signal: AbortSignal,
  fates: Fates = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    const pods = await client.list(Pod, { live: true });
    for (const pod of pods) await settle(client, pod, fates).catch(() => undefined);
    const claims = await client.list(PersistentVolumeClaim, { live: true });
    for (const claim of claims) await provision(client, claim).catch(() => undefined);
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

async function settle(client: Client, pod: Pod, fates: Fates): Promise<void> {
  const { namespace, name = "" } = pod.metadata;
  if (pod.metadata.deletionTimestamp) {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    return;
  }
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return;
  const fate = fates(pod) ?? (pod.spec?.restartPolicy === "Never" ? "succeeded" : "ready");
  if (fateOf(pod) === JSON.stringify(fate)) return;
  await client.patchStatus(Pod, pod, { ...pod.status, ...statusFor(pod, fate) });
}

/** The status says which fate it was made for, so that it is written once. */
function fateOf({ status }: Pod): string | undefined {
  return status?.message;
}

function statusFor(pod: Pod, fate: Fate | "succeeded"): NonNullable<Pod["status"]> {
  const isReady = fate === "ready";
  const condition = (type: string, status: boolean) => ({
    type,
    status: status ? ("True" as const) : ("False" as const),
    lastTransitionTime: time(),
  });
  const initialized = fate !== "no-image" && !(typeof fate === "object" && "refusedWith" in fate);
  return {
    message: JSON.stringify(fate),
    phase: phaseOf(fate),
    podIP: "10.1.0.1",
    podIPs: [{ ip: "10.1.0.1" }],
    startTime: pod.status?.startTime ?? time(),
    conditions: [
      condition("PodScheduled", true),
      condition("Initialized", initialized),
      condition("ContainersReady", isReady),
      condition("Ready", isReady),
    ],
    initContainerStatuses: containers(pod.spec?.initContainers, initState(fate), initialized),
    containerStatuses: containers(pod.spec?.containers, mainState(fate), isReady),
  };
}

function phaseOf(fate: Fate | "succeeded"): "Running" | "Pending" | "Succeeded" | "Failed" {
  if (fate === "succeeded") return "Succeeded";
  if (fate === "failed") return "Failed";
  return fate === "no-image" || (typeof fate === "object" && "refusedWith" in fate) ? "Pending" : "Running";
}

function initState(fate: Fate | "succeeded"): ContainerState {
  if (fate === "no-image") return waiting("ImagePullBackOff");
  return ended(typeof fate === "object" && "refusedWith" in fate ? fate.refusedWith : 0);
}

function mainState(fate: Fate | "succeeded"): ContainerState {
  if (fate === "ready" || fate === "unready") return { running: { startedAt: time() } };
  if (fate === "succeeded" || fate === "failed") {
    return ended(fate === "failed" ? 1 : 0);
  }
  if (typeof fate === "object" && "endedWith" in fate) return ended(fate.endedWith);
  return waiting(fate === "no-image" ? "ImagePullBackOff" : "PodInitializing");
}

function ended(exitCode: number): ContainerState {
  return { terminated: { exitCode, startedAt: time(), finishedAt: time() } };
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
