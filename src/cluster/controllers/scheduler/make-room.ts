import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Pod } from "../../control-loop/api/core.ts";
import type { ControllerContext } from "../../control-loop/controller.ts";
import { setPodCondition } from "../../control-loop/pods/pod-conditions.ts";
import { nameOf } from "./choose-node.ts";
import { priorityOf, type Victims } from "./preemption.ts";
import type { Host } from "./host.ts";
import type { ReportStep } from "./report.ts";

const reason = "PreemptionByScheduler";

/** Deletes the victims of a pod; their condition says why they go. */
export async function makeRoom(
  { objects, clock }: Pick<ControllerContext, "objects" | "clock">,
  user: string,
  report: ReportStep,
  pod: Pod,
  { host, pods }: Victims,
): Promise<void> {
  for (const victim of pods) {
    if (victim.metadata.deletionTimestamp) continue;
    const status = setPodCondition(
      victim.status,
      {
        type: "DisruptionTarget",
        status: "True",
        reason,
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

/** Whether victims of a pod still terminate on the node where room is being made for it. */
export function isWaitingForVictims(pod: Pod, hosts: readonly Host[]): boolean {
  const host = hosts.find((one) => nameOf(one) === pod.status?.nominatedNodeName);
  return (host?.pods ?? []).some(
    (other) =>
      priorityOf(other) < priorityOf(pod) &&
      other.metadata.deletionTimestamp !== undefined &&
      other.status?.conditions?.some((condition) => condition.reason === reason) === true,
  );
}
