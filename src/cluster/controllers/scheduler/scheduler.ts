// The scheduler: this file chooses nodes and binds pods, `filters.ts` says which nodes may run a pod, and
// `preemption.ts` which pods leave to make room.

import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Node, Pod } from "../../control-loop/api/core.ts";
import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from "../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { withoutDelay } from "../../control-loop/pace.ts";
import { isFinished, setPodCondition } from "../../control-loop/pods/pod-state.ts";
import {
  chooseVolume,
  claimsOfPod,
  reserveVolume,
  selectedNodeAnnotation,
  waitsForConsumer,
} from "../../kinds/core/persistent-volume/persistent-volume-controller.ts";
import { podDisruptionBudgets } from "../../kinds/policy/disruption-controller.ts";
import { type Host, type Refusal, type Snapshot, refusalOf } from "./filters.ts";
import { type Victims, preempt, priorityOf } from "./preemption.ts";
import { aboutObject, events, referenceTo } from "../../control-loop/record-event.ts";

const user = "system:kube-scheduler";

/** The node of a pod; or the message why there is none, and the pods that are to be preempted. */
type Outcome = { readonly node: string } | { readonly message: string; readonly victims?: Victims };

/** The reason in the condition DisruptionTarget of victims. */
const preemptedReason = "PreemptionByScheduler";

/** Binds every pod to a node that has room for it, once its volumes are bound. */
export function scheduler(context: ControllerContext): Controller {
  const { objects, clock, pace = withoutDelay } = context;
  const report = eventReporter(context);
  /** The keys of pending pods that fit on no node. */
  const unschedulable = new Set<string>();
  return {
    watches: [pods, nodes, persistentVolumeClaims],

    /** Enqueues pending pods that may wait for this node or claim, or for another pod to leave or arrive. */
    keysOf({ type, resource, object }) {
      if (resource === nodes) return [...unschedulable];
      const { namespace } = object.metadata;
      if (resource === persistentVolumeClaims)
        return [...unschedulable].filter((key) => key.startsWith(`${namespace}/`));
      const pod = object as Pod;
      const ownKeys = pod.spec.nodeName ? [] : [keyOf(pod)];
      if (!pod.spec.nodeName && !pod.status?.nominatedNodeName) return ownKeys;
      const isGone = type === "DELETED" || isFinished(pod);
      const others = [...unschedulable].filter(
        (key) => isGone || dependsOnPods(findByKey(objects, pods, key)),
      );
      return [...ownKeys, ...others];
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod || !isWaiting(pod)) {
        unschedulable.delete(key);
        return undefined;
      }
      const left = Date.parse(pod.metadata.creationTimestamp!) + pace("schedule", pod) - clock.now();
      if (left > 0) return left;
      unschedulable.add(key);
      const snapshot = snapshotFor(pod);
      const outcome = findPlace(pod, snapshot);
      if (!outcome) return undefined;
      if ("node" in outcome) {
        if (await requestVolumes(pod, outcome.node)) return undefined;
        await bind(pod, outcome.node);
        unschedulable.delete(key);
      } else {
        const { message, victims } = outcome;
        await reportUnschedulable(pod, message, victims && nameOf(victims.host));
        if (victims) await makeRoom(pod, victims);
      }
      return undefined;
    },
  };

  function snapshotFor(pod: Pod): Snapshot {
    return {
      hosts: hostsFor(pod, objects.list(nodes), objects.list(pods)),
      labelsOf: (namespace) => objects.get(namespaces, undefined, namespace)?.metadata.labels,
    };
  }

  /** Finds the node of a pod. Undefined while victims of an earlier preemption terminate. */
  function findPlace(pod: Pod, snapshot: Snapshot): Outcome | undefined {
    const count = snapshot.hosts.length;
    if (count === 0) return { message: "no nodes available to schedule pods" };
    const claimProblem = findClaimProblem(pod);
    // The message ends as in 1.36, where preemption has nothing to say.
    if (claimProblem) return { message: `${available(count)}: ${claimProblem}. not found` };
    const choice = chooseNode(pod, snapshot);
    if ("node" in choice) return choice;
    if (isWaitingForVictims(pod, snapshot.hosts)) return undefined;
    const summary = `${available(count)}: ${countReasons(choice.refusals.values())}.`;
    // The real scheduler says this about devices even of pods that claim none.
    const preemptionSummary = `${summary} no new claims to deallocate, preemption: `;
    if (pod.spec.preemptionPolicy === "Never")
      return { message: `${preemptionSummary}not eligible due to preemptionPolicy=Never.` };
    const preemption = preempt(pod, choice.refusals, snapshot, objects.list(podDisruptionBudgets));
    if ("victims" in preemption) return { message: summary, victims: preemption.victims };
    return { message: `${preemptionSummary}${explainPreemption(count, preemption.refusals.values())}` };
  }

  /** The real scheduler's message about a claim that keeps a pod from being scheduled. */
  function findClaimProblem(pod: Pod): string | undefined {
    for (const key of claimsOfPod(pod)) {
      const claim = findByKey(objects, persistentVolumeClaims, key);
      if (!claim) return `persistentvolumeclaim "${key.slice(key.indexOf("/") + 1)}" not found`;
      const storageClass = objects.get(storageClasses, undefined, claim.spec.storageClassName ?? "");
      if (!claim.spec.volumeName && !waitsForConsumer(storageClass))
        return "pod has unbound immediate PersistentVolumeClaims";
    }
    return undefined;
  }

  /**
   * Claims with WaitForFirstConsumer have their consumer now: each gets an existing volume, or an annotation with the node
   * on which to provision one. Returns true if the pod has to wait for any of them.
   */
  async function requestVolumes(pod: Pod, node: string): Promise<boolean> {
    const unboundClaims = claimsOfPod(pod)
      .flatMap((key) => findByKey(objects, persistentVolumeClaims, key) ?? [])
      .filter(({ spec }) => !spec.volumeName);
    for (const claim of unboundClaims) {
      const volume = chooseVolume(claim, objects.list(persistentVolumes));
      const annotations = { ...claim.metadata.annotations, [selectedNodeAnnotation]: node };
      if (!volume) await objects.update(user, { ...claim, metadata: { ...claim.metadata, annotations } });
      else if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
        await objects.update(user, reserveVolume(volume, claim));
      }
    }
    return unboundClaims.length > 0;
  }

  async function bind(pod: Pod, nodeName: string): Promise<void> {
    const condition = { type: "PodScheduled", status: "True" } as const;
    const status = setPodCondition(pod.status, condition, formatTime(clock.now()));
    await objects.update(user, { ...pod, spec: { ...pod.spec, nodeName }, status }, "binding");
    const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const message = `Successfully assigned ${name} to ${nodeName}`;
    await report(pod, { type: "Normal", reason: "Scheduled", action: "Binding", message });
  }

  /** Sets the condition PodScheduled to False. The Event is written only if its message is new. */
  async function reportUnschedulable(
    pod: Pod,
    message: string,
    nominatedNodeName: string | undefined,
  ): Promise<void> {
    const { nominatedNodeName: _before, ...rest } = pod.status ?? {};
    const isReported = rest.conditions?.some(
      (condition) => condition.type === "PodScheduled" && condition.message === message,
    );
    const status = setPodCondition(
      { ...rest, ...(nominatedNodeName !== undefined && { nominatedNodeName }) },
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message,
        observedGeneration: pod.metadata.generation!,
      },
      formatTime(clock.now()),
    );
    if (!isEqual(status, pod.status)) await objects.update(user, { ...pod, status }, "status");
    if (!isReported)
      await report(pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message });
  }

  /** Deletes the victims of a pod, after setting their condition DisruptionTarget. */
  async function makeRoom(pod: Pod, { host, pods }: Victims): Promise<void> {
    for (const victim of pods) {
      if (victim.metadata.deletionTimestamp) continue;
      const status = setPodCondition(
        victim.status,
        {
          type: "DisruptionTarget",
          status: "True",
          reason: preemptedReason,
          message: `${pod.spec.schedulerName}: preempting to accommodate a higher priority pod`,
          observedGeneration: victim.metadata.generation!,
        },
        formatTime(clock.now()),
      );
      const marked = isEqual(status, victim.status)
        ? victim
        : await objects.update(user, { ...victim, status }, "status");
      await objects.delete(user, marked);
      await report(victim, {
        type: "Normal",
        reason: "Preempted",
        action: "Preempting",
        message: `Preempted by pod ${pod.metadata.uid} on node ${nameOf(host)}`,
        related: pod,
      });
    }
  }
}

function isWaiting(pod: Pod): boolean {
  const isGated = (pod.spec.schedulingGates ?? []).length > 0;
  const isOurs = (pod.spec.schedulerName ?? "default-scheduler") === "default-scheduler";
  return isOurs && !isGated && !pod.spec.nodeName && !pod.metadata.deletionTimestamp && !isFinished(pod);
}

/** Returns true if a pod may become schedulable because another pod arrives. */
function dependsOnPods(pod: Pod | undefined): boolean {
  return pod?.spec.affinity?.podAffinity !== undefined || pod?.spec.topologySpreadConstraints !== undefined;
}

/** The nodes with the pods that take up room: bound ones, and nominated ones unless this pod is more important. */
function hostsFor(pod: Pod, nodes: readonly Node[], pods: readonly Pod[]): Host[] {
  const byNode = new Map<string, Pod[]>(nodes.map(({ metadata }) => [metadata.name ?? "", []]));
  for (const other of pods) {
    const node = other.spec.nodeName || nominatedNode(other, pod);
    if (node && !isFinished(other)) byNode.get(node)?.push(other);
  }
  return nodes.map((node) => ({ node, pods: byNode.get(node.metadata.name ?? "")! }));
}

/** The node that another pod is nominated for, unless the pod to schedule is more important. */
function nominatedNode(other: Pod, pod: Pod): string | undefined {
  const keepsPlace = other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod);
  return keepsPlace ? other.status?.nominatedNodeName : undefined;
}

/** The node of a pod, or the refusals of all hosts. */
type Choice = { readonly node: string } | { readonly refusals: ReadonlyMap<Host, Refusal> };

/** Chooses the node with the fewest pods among those that a pod may run on. Preferences are ignored. */
export function chooseNode(pod: Pod, snapshot: Snapshot): Choice {
  const refusals = new Map<Host, Refusal>();
  let best: Host | undefined;
  for (const host of snapshot.hosts) {
    const refusal = refusalOf(pod, host, snapshot);
    if (refusal) refusals.set(host, refusal);
    else if (!best || compare(host, best) < 0) best = host;
  }
  return best ? { node: nameOf(best) } : { refusals };
}

function compare(a: Host, b: Host): number {
  return a.pods.length - b.pods.length || (nameOf(a) < nameOf(b) ? -1 : 1);
}

function nameOf({ node }: Host): string {
  return node.metadata.name ?? "";
}

/** Returns true if victims of a pod still terminate on its nominated node. */
function isWaitingForVictims(pod: Pod, hosts: readonly Host[]): boolean {
  const host = hosts.find((candidate) => nameOf(candidate) === pod.status?.nominatedNodeName);
  return (host?.pods ?? []).some(
    (other) =>
      priorityOf(other) < priorityOf(pod) &&
      other.metadata.deletionTimestamp !== undefined &&
      other.status?.conditions?.some((condition) => condition.reason === preemptedReason) === true,
  );
}

const notHelpful: Refusal = { reasons: ["Preemption is not helpful for scheduling"], isLasting: true };

/** The scheduler's message about preemption that makes no room. */
function explainPreemption(nodes: number, tried: Iterable<Refusal>): string {
  const refusals = [...tried];
  const untried = Array.from({ length: nodes - refusals.length }, () => notHelpful);
  return `${available(nodes)}: ${countReasons([...refusals, ...untried])}.`;
}

function available(nodes: number): string {
  return `0/${nodes} nodes are available`;
}

function countReasons(refusals: Iterable<Refusal>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of refusals) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted(compareText)
    .join(", ");
}

interface SchedulingEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly message: string;
  /** The pod that a victim leaves for. */
  readonly related?: KubernetesObject;
}

type ReportEvent = (about: KubernetesObject, event: SchedulingEvent) => Promise<void>;

const component = "default-scheduler";

/** Writes Events of `events.k8s.io`, with a series instead of a count. One that can't be written is dropped. */
function eventReporter({ objects, clock }: ControllerContext): ReportEvent {
  return async (about, { related, ...text }) => {
    const now = formatMicroTime(clock.now());
    const event = aboutObject(about, text);
    const { namespace, name } = event.metadata;
    const existing = objects.get(events, namespace, name);
    try {
      const series = { count: (existing?.series?.count ?? 1) + 1, lastObservedTime: now };
      if (existing) await objects.update(user, { ...existing, series });
      else {
        await objects.create(user, {
          ...event,
          ...text,
          eventTime: now,
          reportingComponent: component,
          reportingInstance: `${component}-tsbuilder`,
          ...(related && { related: referenceTo(related) }),
        });
      }
    } catch {
      // A namespace that is being deleted accepts no Events.
    }
  };
}
