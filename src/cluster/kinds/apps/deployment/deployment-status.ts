import { formatTime } from "@tsbuilder/apimachinery/time";
import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ReplicaSet } from "../replica-set/replica-set-controller.ts";
import type { LooseCondition } from "../../../control-loop/api/core.ts";
import { positiveCounts, sum } from "../../../control-loop/counts.ts";
import type { Stored } from "../../../contract/api-object.ts";
import { type Deployment, rolloutLimits, specReplicas, availableReplicas } from "./desired-replicas.ts";

type DeploymentStatus = Stored<apps.DeploymentStatus>;

export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const all = current ? [current, ...old] : old;
  const available = availableReplicas(all);
  const collisionCount = deployment.status?.collisionCount;
  const counts: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...positiveCounts({
      replicas: sum(all.map(({ status }) => status?.replicas ?? 0)),
      updatedReplicas: current?.status?.replicas ?? 0,
      readyReplicas: sum(all.map(({ status }) => status?.readyReplicas ?? 0)),
      availableReplicas: available,
      unavailableReplicas: specReplicas(all) - available,
    }),
    terminatingReplicas: sum(all.map(({ status }) => status?.terminatingReplicas ?? 0)),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
  const conditions = rolloutConditions(deployment, counts, current, now);
  return { ...counts, conditions: [...conditions, ...replicaFailure(deployment, all)] };
}

/** A condition without its times. */
type Finding = Pick<LooseCondition, "type" | "status"> & { reason: string; message: string };

/** The conditions `Available` and `Progressing` that `kubectl rollout status` and `kubectl wait` read. */
function rolloutConditions(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): LooseCondition[] {
  const before = deployment.status?.conditions ?? [];
  const progress = findProgressing(deployment, status, current, now);
  const found = [findAvailable(deployment, status), ...(progress ? [progress] : [])];
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
  return [...kept, ...news.map((finding) => withTimes(finding, before, now))];
}

function findAvailable(deployment: Deployment, status: DeploymentStatus): Finding {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const found = defineFinding.bind(undefined, "Available");
  return (status.availableReplicas ?? 0) >= minAvailable
    ? found("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    : found("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.");
}

function defineFinding(
  type: "Available" | "Progressing",
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
): Finding {
  return { type, status, reason, message };
}

function findProgressing(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): Finding | undefined {
  const before = progressingCondition(deployment);
  const name = current?.metadata.name ?? "";
  const found = defineFinding.bind(undefined, "Progressing");
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
  const growing = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  const oldOnes = (status: DeploymentStatus) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return growing.some((key) => (now[key] ?? 0) > (before[key] ?? 0)) || oldOnes(now) < oldOnes(before);
}

/** lastTransitionTime changes with the status, lastUpdateTime also with the reason or message. */
function withTimes(finding: Finding, before: readonly LooseCondition[], now: number): LooseCondition {
  const last = before.find(({ type }) => type === finding.type);
  const stamp = formatTime(now);
  const isSame = last?.reason === finding.reason && last.message === finding.message;
  const hasMoved = finding.type === "Progressing" && finding.reason === "ReplicaSetUpdated";
  return {
    ...finding,
    lastUpdateTime: isSame && !hasMoved ? (last.lastUpdateTime ?? stamp) : stamp,
    lastTransitionTime: last?.status === finding.status ? (last.lastTransitionTime ?? stamp) : stamp,
  };
}

/** The ReplicaFailure condition of the first ReplicaSet that has one; a known failure keeps its message and times. */
function replicaFailure({ status }: Deployment, all: readonly ReplicaSet[]): LooseCondition[] {
  const failures = all.flatMap((set) => set.status?.conditions?.filter(isFailure) ?? []);
  const [failure] = failures;
  if (!failure) return [];
  const known = status?.conditions?.find(isFailure);
  const { lastTransitionTime } = failure;
  return [known ?? { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) }];
}

function isFailure({ type, status }: LooseCondition): boolean {
  return type === "ReplicaFailure" && status === "True";
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The progressDeadlineSeconds that stand for no deadline: the largest int32. */
const noDeadline = 2 ** 31 - 1;

/** Returns after how many milliseconds a stalled rollout exceeds its progress deadline, if it has one. */
export function untilDeadline(deployment: Deployment, now: number): number | undefined {
  const condition = progressingCondition(deployment);
  const seconds = deployment.spec.progressDeadlineSeconds;
  const isWaiting = condition?.status === "True" && condition.reason !== "NewReplicaSetAvailable";
  if (!isWaiting || !seconds || seconds >= noDeadline || deployment.spec.paused) return undefined;
  const since = Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? "");
  return Math.max(0, since + seconds * 1000 - now);
}

function progressingCondition({ status }: Deployment): LooseCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Progressing");
}
