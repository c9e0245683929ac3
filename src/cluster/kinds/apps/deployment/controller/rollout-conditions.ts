import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Deployment, DeploymentStatus } from "./deployments.ts";
import type { ReplicaSet } from "../../replica-set/controller/replica-sets.ts";
import type { LooseCondition } from "../../../../control-loop/api/core.ts";
import { isComplete } from "./replica-counts.ts";
import { rolloutLimits } from "./replica-counts.ts";

type Finding = Pick<LooseCondition, "type" | "status"> & { reason: string; message: string };

/** The conditions `Available` and `Progressing` that `kubectl rollout status` and `kubectl wait` read. */
export function rolloutConditions(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): LooseCondition[] {
  const before = deployment.status?.conditions ?? [];
  const progress = progressing(deployment, status, current, now);
  const found = [available(deployment, status), ...(progress ? [progress] : [])];
  const isNews = ({ type, status, reason, message }: Finding) =>
    !before.some(
      (last) =>
        last.type === type &&
        last.status === status &&
        last.reason === reason &&
        (type === "Available" || (last.message === message && reason !== "ReplicaSetUpdated")),
    );
  const news = found.filter(isNews);
  const kept = before.filter(
    ({ type }) => type !== "ReplicaFailure" && !news.some((finding) => finding.type === type),
  );
  return [...kept, ...news.map((finding) => dated(finding, before, now))];
}

/** After how many milliseconds a stalled rollout exceeds its progress deadline, if it has one. */
export function untilDeadline(deployment: Deployment, now: number): number | undefined {
  const condition = progressingCondition(deployment);
  const seconds = deployment.spec.progressDeadlineSeconds;
  const waiting = condition?.status === "True" && condition.reason !== "NewReplicaSetAvailable";
  if (!waiting || !seconds || seconds >= 2 ** 31 - 1 || deployment.spec.paused) return undefined;
  const since = Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? "");
  return Math.max(0, since + seconds * 1000 - now);
}

function available(deployment: Deployment, status: DeploymentStatus): Finding {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const enough = (status.availableReplicas ?? 0) >= minAvailable;
  return {
    type: "Available",
    status: enough ? "True" : "False",
    reason: enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: enough
      ? "Deployment has minimum availability."
      : "Deployment does not have minimum availability.",
  };
}

function progressing(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): Finding | undefined {
  const before = progressingCondition(deployment);
  const name = current?.metadata.name ?? "";
  const found = (state: "True" | "False" | "Unknown", reason: string, message: string): Finding => ({
    type: "Progressing",
    status: state,
    reason,
    message,
  });
  if (deployment.spec.paused) return found("Unknown", "DeploymentPaused", "Deployment is paused");
  if (!current) return undefined;
  if (isComplete(deployment, status)) {
    return found("True", "NewReplicaSetAvailable", `ReplicaSet "${name}" has successfully progressed.`);
  }
  if (before?.reason === "DeploymentPaused") {
    return found("Unknown", "DeploymentResumed", "Deployment is resumed");
  }
  if (!before || isOfOlderRollout(before, name)) {
    return found("True", "NewReplicaSetCreated", `Created new replica set "${name}"`);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    return found("True", "ReplicaSetUpdated", `ReplicaSet "${name}" is progressing.`);
  }
  if (before.reason !== "ProgressDeadlineExceeded" && untilDeadline(deployment, now) === 0) {
    return found("False", "ProgressDeadlineExceeded", `ReplicaSet "${name}" has timed out progressing.`);
  }
  return undefined;
}

function isOfOlderRollout({ reason, message }: LooseCondition, name: string): boolean {
  return reason !== "DeploymentResumed" && !message?.includes(`"${name}"`);
}

function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const grew = (key: "updatedReplicas" | "readyReplicas" | "availableReplicas") =>
    (now[key] ?? 0) > (before[key] ?? 0);
  const oldOnes = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    grew("updatedReplicas") ||
    grew("readyReplicas") ||
    grew("availableReplicas") ||
    oldOnes(now) < oldOnes(before)
  );
}

/** lastTransitionTime changes with the status, lastUpdateTime also with the reason or message. */
function dated(finding: Finding, before: readonly LooseCondition[], now: number): LooseCondition {
  const last = before.find(({ type }) => type === finding.type);
  const stamp = formatTime(now);
  const same = last?.reason === finding.reason && last.message === finding.message;
  const moved = finding.type === "Progressing" && finding.reason === "ReplicaSetUpdated";
  return {
    ...finding,
    lastUpdateTime: same && !moved ? (last.lastUpdateTime ?? stamp) : stamp,
    lastTransitionTime: last?.status === finding.status ? (last.lastTransitionTime ?? stamp) : stamp,
  };
}

function progressingCondition({ status }: Deployment): LooseCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Progressing");
}
