import { findController, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { StatefulSet } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Job } from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Node, Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Pace, PacedStep } from "@tsbuilder/cluster";
import type { NodeFault, PodFault } from "../contract/index.ts";
import { isMissingImage, latePush } from "../contract/missing-image.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";
import { pathOf } from "./base.ts";
import type { World } from "./world.ts";

/** The least and the most milliseconds that each step takes. */
const durations: Readonly<Record<PacedStep, readonly [least: number, most: number]>> = {
  schedule: [0, 1000],
  bind: [500, 3000],
  start: [500, 3000],
  ready: [500, 4000],
  run: [1000, 10_000],
  stop: [500, 5000],
};

/** The milliseconds of the other steps if pods are slow to get ready. */
const slowDurations: Readonly<Record<Exclude<PacedStep, "ready">, number>> = {
  schedule: 2000,
  bind: 10_000,
  start: 18_000,
  run: 50_000,
  stop: 30_000,
};

/** The share of pods that ignore SIGTERM: they end with their grace period. */
const deafPods = 0.05;

/** Milliseconds between two attempts to evict a pod, as of `kubectl drain`. */
const evictionPeriod = 5000;

/** Decides how long pods take in a run, and lets its faults strike pods and nodes. */
export class Kubelets {
  readonly #world: World;
  readonly #random: Random;
  /** All pods in the order of their creation, as they were then: a fault names one by its index. */
  readonly #created: KubernetesObject[] = [];
  /** The times until which pods aren't ready, by uid. */
  readonly #unreadyUntil = new Map<string, number>();
  readonly #slowReady: number | undefined;
  /** The time at which the last fault of a pod or a node ends. */
  troubledUntil = 0;

  /** With `slowReady`, pods are slow, and get ready so many milliseconds after their start. */
  constructor(world: World, slowReady: number | undefined) {
    this.#world = world;
    this.#random = world.random.fork("kubelets");
    this.#slowReady = slowReady;
  }

  /** How long a step takes differs from object to object, and a pod may be kept from being ready. */
  readonly pace: Pace = (step, object) => {
    if (step === "start" && hasMissingImage(object)) return this.#isHeldByOrder(object) ? latePush : Infinity;
    if (this.#slowReady !== undefined) return step === "ready" ? this.#slowReady : slowDurations[step];
    const { uid = "" } = object.metadata;
    const random = this.#random.fork(`${uid} ${step}`);
    if (step === "stop" && random.chance(deafPods)) return Infinity;
    const usual = random.integer(...durations[step]);
    const held = this.#unreadyUntil.get(uid);
    return step !== "ready" || held === undefined ? usual : Math.max(usual, held - startOf(object));
  };

  /**
   * Returns whether a pod belongs to a StatefulSet that replaces its pods in order, and so never one that doesn't get ready:
   * Kubernetes leaves that to people.
   */
  #isHeldByOrder(pod: KubernetesObject): boolean {
    const owner = findController(pod);
    return this.#world.cluster.core.store
      .collection("statefulsets.apps")
      .list()
      .some(({ object }) => {
        const { spec } = object as unknown as StatefulSet;
        const isOrdered =
          spec?.podManagementPolicy === "OrderedReady" && spec.updateStrategy?.type === "RollingUpdate";
        return object.metadata.uid === owner?.uid && isOrdered;
      });
  }

  /**
   * Returns whether a Job has no try left after one of its pods. That it fails for good then, and its owner with it, is no mistake of
   * an operator.
   */
  #isLastTry(pod: KubernetesObject): boolean {
    const owner = findController(pod);
    const [job] = this.#world.cluster.core.store
      .collection("jobs.batch")
      .list()
      .flatMap(({ object }) => (object.metadata.uid === owner?.uid ? [object as unknown as Job] : []));
    const { backoffLimit = 6, podFailurePolicy } = job?.spec ?? {};
    return job !== undefined && (podFailurePolicy !== undefined || (job.status?.failed ?? 0) >= backoffLimit);
  }

  noteCreated(pod: KubernetesObject): void {
    this.#created.push(pod);
  }

  /** Lets a fault strike. Returns false if the run has no such pod, or no node. */
  async strike(fault: PodFault | NodeFault): Promise<boolean> {
    this.troubledUntil = Math.max(this.troubledUntil, this.#world.loop.now + fault.for);
    if (fault.fault === "node") return this.#cutOff(fault.for);
    const created = this.#created[fault.pod];
    const pod = created && (await this.#read<Pod>(created));
    const { uid } = created?.metadata ?? {};
    if (pod?.status?.phase !== "Running" || pod.metadata.deletionTimestamp || pod.metadata.uid !== uid)
      return false;
    if (fault.how !== "unready" && this.#isLastTry(pod)) return false;
    if (fault.how === "evict") return this.#evict(pod, this.#world.loop.now + fault.for);
    this.#unreadyUntil.set(uid!, this.#world.date + fault.for);
    const status =
      fault.how === "unready" ? unreadyStatus(pod) : crashedStatus(pod, fault.how, this.#world.date);
    return this.#writeStatus(pod, status);
  }

  /** Asks for the eviction of a pod until it is granted, or the time is over. Disruption budgets may refuse it. */
  async #evict(pod: Pod, end: number): Promise<boolean> {
    const { name, namespace } = pod.metadata;
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    const path = `${pathOf(this.#world.cluster, pod)}/eviction`;
    this.#world.lastEffort = this.#world.loop.now;
    const { status } = await this.#world.ask("kubelets", "POST", path, eviction);
    if (status === 429 && this.#world.loop.now + evictionPeriod < end)
      this.#world.loop.after(evictionPeriod, () => void this.#evict(pod, end));
    return status < 300 || status === 429;
  }

  /** Lets nobody hear of the node for a while. */
  async #cutOff(milliseconds: number): Promise<boolean> {
    const { loop, cluster } = this.#world;
    const [first] = cluster.core.store.collection("nodes").list();
    if (!first) return false;
    const node = first.object as unknown as Node;
    loop.after(milliseconds, () => void this.#setReady(node, "True"));
    return this.#setReady(node, "Unknown");
  }

  async #setReady(of: Node, status: "True" | "Unknown"): Promise<boolean> {
    const node = await this.#read<Node>(of);
    const conditions = node?.status?.conditions?.map((condition) =>
      condition.type === "Ready"
        ? { ...condition, status, lastTransitionTime: formatTime(this.#world.date) }
        : condition,
    );
    return node !== undefined && this.#writeStatus(node, { conditions });
  }

  async #read<T extends KubernetesObject>(object: KubernetesObject): Promise<T | undefined> {
    const { status, body } = await this.#world.ask("kubelets", "GET", pathOf(this.#world.cluster, object));
    return status === 200 ? (JSON.parse(body.toString()) as T) : undefined;
  }

  async #writeStatus(object: KubernetesObject, status: object): Promise<boolean> {
    // No run ends before operators have had the time to follow.
    this.#world.lastEffort = this.#world.loop.now;
    const path = `${pathOf(this.#world.cluster, object)}/status`;
    return (await this.#world.ask("kubelets", "PATCH", path, { status })).status < 300;
  }
}

function hasMissingImage({ spec }: Pod): boolean {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers.some(({ image = "" }) => isMissingImage(image));
}

/** Returns the time at which the last container of a pod was started. */
function startOf({ status }: Pod): number {
  const starts = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
  return Math.max(0, ...starts.map((start) => Date.parse(start)));
}

/** The status of a pod whose probes fail. The kubelet, which then looks at it, sets the conditions. */
function unreadyStatus({ status }: Pod): object {
  return { containerStatuses: status?.containerStatuses?.map((each) => ({ ...each, ready: false })) };
}

/** The status of a pod whose containers have ended with an error: they start again, unless they must not. */
function crashedStatus({ spec, status }: Pod, how: "crash" | "oom", date: number): object {
  const now = formatTime(date);
  const ending = how === "oom" ? { exitCode: 137, reason: "OOMKilled" } : { exitCode: 1, reason: "Error" };
  const isOver = spec?.restartPolicy === "Never";
  const containerStatuses = status?.containerStatuses?.map((each) => {
    const terminated = { ...ending, startedAt: each.state?.running?.startedAt ?? now, finishedAt: now };
    const next = isOver
      ? { state: { terminated } }
      : {
          state: { running: { startedAt: now } },
          lastState: { terminated },
          restartCount: each.restartCount + 1,
        };
    return { ...each, ready: false, started: false, ...next };
  });
  return { ...(isOver && { phase: "Failed" }), containerStatuses };
}
