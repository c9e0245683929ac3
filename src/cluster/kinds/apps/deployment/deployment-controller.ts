import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { type ReplicaSet, replicaSets } from "../replica-set/replica-set-controller.ts";
import type { Defaulted, LooseCondition, PodTemplateSpec } from "../../../control-loop/api/core.ts";
import { pods } from "../../../control-loop/api/core.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../control-loop/keys.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { positiveCounts, scaledCount, sum } from "../../../control-loop/counts.ts";
import { isFinished } from "../../../control-loop/pods/pod-state.ts";
import { templateHash } from "../../../control-loop/pods/template-hash.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import type { Stored } from "../../../contract/api-object.ts";

export type Deployment = Defaulted<Stored<apps.Deployment>, "replicas" | "revisionHistoryLimit">;

export const deployments: ResourceName<Deployment> = "deployments.apps";

const user = userOf("deployment");

/** The next replicas of each ReplicaSet by name; only those that change. */
type DesiredReplicas = ReadonlyMap<string, number>;

/** The annotation with the revision number of a Deployment; `kubectl rollout history` lists them. */
const revisionAnnotation = "deployment.kubernetes.io/revision";

/** Rolls out a Deployment's template through ReplicaSets, one for each revision of the template. */
export function deploymentController(context: ControllerContext): Controller {
  const steps = reporting(context, user, "deployment-controller");
  const { objects, report, clock } = steps;
  return {
    watches: [deployments, replicaSets, pods],

    /** Recreate waits for the deletion of pods. */
    keysOf(event) {
      if (event.resource !== pods) return keysOfOwner(objects, deployments, "Deployment", event);
      if (event.type !== "DELETED") return [];
      const all = objects.list(deployments, event.object.metadata.namespace);
      return all.filter(({ spec }) => spec.strategy?.type === "Recreate").map(keyOf);
    },

    async reconcile(key) {
      const deployment = findByKey(objects, deployments, key);
      if (!deployment) return undefined;
      const owned = await claimDependents(steps, deployment, replicaSets);
      if (!deployment.metadata.deletionTimestamp) await rollOut(deployment, owned);
      return updateStatus(key);
    },
  };

  async function rollOut(deployment: Deployment, owned: readonly ReplicaSet[]): Promise<void> {
    if (deployment.spec.paused || wasScaled(deployment, owned)) {
      const target = wasScaled(deployment, owned) ? proportionalReplicas(deployment, owned) : new Map();
      await scaleAll(deployment, owned, target);
      if (deployment.spec.paused) return;
    }
    const found = findCurrent(deployment, owned);
    const old = owned.filter(({ metadata }) => metadata.uid !== found?.metadata.uid);
    if (deployment.spec.strategy?.type === "Recreate" && (await endOld(deployment, old))) return;
    const current = await ensureCurrent(deployment, found, old);
    if (!current) return;
    await scaleAll(deployment, [current, ...old], desiredReplicas(deployment, current, old));
  }

  async function updateStatus(key: string): Promise<number | undefined> {
    const deployment = findByKey(objects, deployments, key);
    if (!deployment) return undefined;
    const owned = await claimDependents(steps, deployment, replicaSets);
    const current = findCurrent(deployment, owned);
    const old = owned.filter((replicaSet) => replicaSet !== current);
    const status = deploymentStatus(deployment, current, old, clock.now());
    if (!isEqual(status, deployment.status)) await objects.update(user, { ...deployment, status }, "status");
    if (isComplete(deployment, status)) await dropHistory(deployment, old);
    return untilDeadline({ ...deployment, status }, clock.now());
  }

  /** Creates the ReplicaSet of the current template, or updates its annotations. */
  async function ensureCurrent(
    deployment: Deployment,
    found: ReplicaSet | undefined,
    old: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
    const annotations = currentAnnotations(deployment, found, old);
    const current = found
      ? await annotate(found, annotations)
      : await createCurrent(deployment, annotations, old);
    const revision = annotations[revisionAnnotation];
    if (current && revision) await markRevision(deployment.metadata, revision);
    return current;
  }

  /** Written through the status subresource, so that the generation stays the same. */
  async function markRevision({ namespace, name }: Deployment["metadata"], revision: string): Promise<void> {
    const stored = objects.get(deployments, namespace, name!);
    if (!stored || stored.metadata.annotations?.[revisionAnnotation] === revision) return;
    const annotations = { ...stored.metadata.annotations, [revisionAnnotation]: revision };
    await objects.update(user, { ...stored, metadata: { ...stored.metadata, annotations } }, "status");
  }

  async function annotate(set: ReplicaSet, annotations: Record<string, string>): Promise<ReplicaSet> {
    if (isEqual(set.metadata.annotations, annotations)) return set;
    return objects.update(user, { ...set, metadata: { ...set.metadata, annotations } });
  }

  /** Creates the ReplicaSet of a template. If its name is taken, collisionCount makes the next attempt use another. */
  async function createCurrent(
    deployment: Deployment,
    annotations: Record<string, string>,
    old: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
    const empty = newReplicaSet(deployment, annotations);
    const { namespace, name } = empty.metadata;
    if (objects.get(replicaSets, namespace, name!)) {
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      const status = { ...deployment.status, collisionCount };
      await objects.update(user, { ...deployment, status }, "status");
      return undefined;
    }
    const replicas = desiredReplicas(deployment, empty, old).get(name!) ?? 0;
    const created = await objects.create(user, scaled(deployment, empty, replicas));
    await reportScaling(deployment, empty, replicas);
    return created;
  }

  async function scaleAll(
    deployment: Deployment,
    owned: readonly ReplicaSet[],
    target: DesiredReplicas,
  ): Promise<void> {
    for (const replicaSet of owned) {
      const replicas = target.get(replicaSet.metadata.name ?? "") ?? replicaSet.spec.replicas;
      const next = scaled(deployment, replicaSet, replicas);
      if (isEqual(next, replicaSet)) continue;
      await objects.update(user, next);
      await reportScaling(deployment, replicaSet, replicas);
    }
  }

  async function reportScaling(deployment: Deployment, replicaSet: ReplicaSet, to: number): Promise<void> {
    const from = replicaSet.spec.replicas;
    if (from === to) return;
    const direction = to > from ? "up" : "down";
    const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${from} to ${to}`;
    await report(deployment, "Normal", "ScalingReplicaSet", message);
  }

  /** With Recreate, old pods are deleted before new ones are created. Returns true if there are old pods left. */
  async function endOld(deployment: Deployment, old: readonly ReplicaSet[]): Promise<boolean> {
    const running = old.filter(({ spec }) => spec.replicas !== 0);
    await scaleAll(deployment, running, new Map(running.map(({ metadata }) => [metadata.name!, 0])));
    const owners = new Set(old.map(({ metadata }) => metadata.uid));
    return objects
      .list(pods, deployment.metadata.namespace)
      .some((pod) => !isFinished(pod) && pod.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)));
  }

  /** Deletes the oldest ReplicaSets beyond the Deployment's revisionHistoryLimit. */
  async function dropHistory({ spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const spent = old.filter(
      (set) => set.spec.replicas === 0 && !set.status?.replicas && !set.metadata.deletionTimestamp,
    );
    const surplus = Math.max(0, spent.length - spec.revisionHistoryLimit);
    const byRevision = spent.toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)));
    for (const replicaSet of byRevision.slice(0, surplus)) {
      await objects.delete(user, replicaSet, { propagationPolicy: "Background" });
    }
  }
}

/**
 * The next step of a rollout. Each step respects the limits, so that it is safe to stop after any: the new ReplicaSet
 * scales up as far as maxSurge allows, then the old ones scale down as far as maxUnavailable allows.
 */
export function desiredReplicas(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
): DesiredReplicas {
  const grown = nextOfCurrent(deployment, current, old);
  if (grown !== current.spec.replicas) return new Map([[nameOf(current), grown]]);
  return nextOfOld(deployment, current, old);
}

function nextOfCurrent(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): number {
  const replicas = deployment.spec.replicas;
  const now = current.spec.replicas;
  if (now >= replicas) return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - specReplicas([current, ...old]);
  return now + Math.max(0, Math.min(room, replicas - now));
}

/** Unavailable pods are removed first, as that does not reduce availability. */
function nextOfOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): DesiredReplicas {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const newMissing = current.spec.replicas - (current.status?.availableReplicas ?? 0);
  const mayGo = specReplicas([current, ...old]) - minAvailable - newMissing;
  if (mayGo <= 0) return new Map();

  const unhealthy = shrink(old, mayGo, (replicaSet) => {
    return replicaSet.spec.replicas - (replicaSet.status?.availableReplicas ?? 0);
  });
  const cleaned = old.map((replicaSet) => withReplicas(replicaSet, unhealthy));
  const surplus = availableReplicas([current, ...cleaned]) - minAvailable;
  const healthy = shrink(cleaned, surplus, ({ spec }) => spec.replicas);
  return new Map([...unhealthy, ...healthy]);
}

/** Removes a number of pods from ReplicaSets, oldest first. */
function shrink(
  replicaSets: readonly ReplicaSet[],
  count: number,
  takeable: (replicaSet: ReplicaSet) => number,
): Map<string, number> {
  const next = new Map<string, number>();
  let left = count;
  for (const replicaSet of [...replicaSets].sort(byAge)) {
    const taken = Math.max(0, Math.min(left, takeable(replicaSet)));
    if (taken > 0) next.set(nameOf(replicaSet), replicaSet.spec.replicas - taken);
    left -= taken;
  }
  return next;
}

function withReplicas(replicaSet: ReplicaSet, next: DesiredReplicas): ReplicaSet {
  const replicas = next.get(nameOf(replicaSet));
  return replicas === undefined ? replicaSet : { ...replicaSet, spec: { ...replicaSet.spec, replicas } };
}

/** Orders objects by creation time, then by name. */
function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return first! < second! ? -1 : 1;
}

function nameOf(replicaSet: ReplicaSet): string {
  return replicaSet.metadata.name ?? "";
}

/** The annotation with the Deployment's replicas at the time it last scaled a ReplicaSet. */
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";

/** Returns whether a Deployment was scaled since its ReplicaSets were last updated. */
function wasScaled(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  const wanted = String(deployment.spec.replicas);
  return replicaSets
    .filter(({ spec }) => spec.replicas > 0)
    .some(({ metadata }) => (metadata.annotations?.[desiredAnnotation] ?? wanted) !== wanted);
}

/**
 * Distributes a new number of replicas over the ReplicaSets in proportion to their sizes, so that scaling
 * during a rollout does not change how far it has come. The rounding remainder goes to the largest.
 */
export function proportionalReplicas(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
): DesiredReplicas {
  const active = replicaSets.filter(({ spec }) => spec.replicas > 0);
  const replicas = deployment.spec.replicas;
  const [single] = active;
  if (active.length <= 1) {
    return new Map(single ? [[single.metadata.name ?? "", replicas] as const] : []);
  }
  const total = specReplicas(active);
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const sorted = [...active].sort((a, b) => b.spec.replicas - a.spec.replicas || byAge(a, b));
  let left = allowed - total;
  const next = new Map<string, number>();
  for (const { metadata, spec } of sorted) {
    const now = spec.replicas;
    const share = limit(Math.round((now * allowed) / total) - now, left);
    next.set(metadata.name ?? "", now + share);
    left -= share;
  }
  const largest = sorted[0]!.metadata.name ?? "";
  next.set(largest, Math.max(0, next.get(largest)! + left));
  return next;
}

/** The number of pods that a rollout may have above the desired number, and the number that may be unavailable. */
interface RolloutLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Resolves the limits of a rollout. If both round to 0, the rollout could never progress: then maxUnavailable is 1. */
export function rolloutLimits({ spec }: Deployment): RolloutLimits {
  if (spec.strategy?.type === "Recreate") return { maxSurge: 0, maxUnavailable: 0 };
  const replicas = spec.replicas;
  const { maxSurge = "25%", maxUnavailable = "25%" } = spec.strategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, replicas, Math.ceil);
  const unavailable = scaledCount(maxUnavailable, replicas, Math.floor);
  return {
    maxSurge: surge,
    maxUnavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas),
  };
}

function specReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ spec }) => spec.replicas));
}

function availableReplicas(replicaSets: readonly ReplicaSet[]): number {
  return sum(replicaSets.map(({ status }) => status?.availableReplicas ?? 0));
}

type DeploymentStatus = Stored<apps.DeploymentStatus>;

function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const replicas = deployment.spec.replicas;
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** A share never exceeds what is left to add or remove, and never goes in the other direction. */
function limit(share: number, left: number): number {
  return left > 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));
}

function deploymentStatus(
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
  return { ...counts, conditions: [...conditions, ...failureOf(deployment, all)] };
}

type Finding = Pick<LooseCondition, "type" | "status"> & { reason: string; message: string };

/** The conditions `Available` and `Progressing` that `kubectl rollout status` and `kubectl wait` read. */
function rolloutConditions(
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
function untilDeadline(deployment: Deployment, now: number): number | undefined {
  const condition = progressingCondition(deployment);
  const seconds = deployment.spec.progressDeadlineSeconds;
  const waiting = condition?.status === "True" && condition.reason !== "NewReplicaSetAvailable";
  if (!waiting || !seconds || seconds >= 2 ** 31 - 1 || deployment.spec.paused) return undefined;
  const since = Date.parse(condition.lastUpdateTime ?? condition.lastTransitionTime ?? "");
  return Math.max(0, since + seconds * 1000 - now);
}

function finding(
  type: "Available" | "Progressing",
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
): Finding {
  return { type, status, reason, message };
}

function available(deployment: Deployment, status: DeploymentStatus): Finding {
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const found = finding.bind(undefined, "Available");
  return (status.availableReplicas ?? 0) >= minAvailable
    ? found("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    : found("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.");
}

function progressing(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): Finding | undefined {
  const before = progressingCondition(deployment);
  const name = current?.metadata.name ?? "";
  const found = finding.bind(undefined, "Progressing");
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

/** The ReplicaFailure condition of the first ReplicaSet that has one; a known failure keeps its message and times. */
function failureOf({ status }: Deployment, all: readonly ReplicaSet[]): LooseCondition[] {
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

/** The label that distinguishes the ReplicaSets of a Deployment and their pods. */
const hashLabel = "pod-template-hash";

/** Builds the ReplicaSet of a Deployment's template, initially with 0 replicas. */
function newReplicaSet(deployment: Deployment, annotations: Record<string, string>): ReplicaSet {
  const { name, namespace } = deployment.metadata;
  const { selector, template, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const replicaSet: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations,
      ownerReferences: [ownerReferenceTo(deployment)],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return scaled(deployment, replicaSet, 0);
}

/** The annotation with the maximum number of pods at that time. */
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Sets a ReplicaSet's replicas, and the annotations with the Deployment's replicas at that time. */
function scaled(deployment: Deployment, replicaSet: ReplicaSet, replicas: number): ReplicaSet {
  const wanted = deployment.spec.replicas;
  const { maxSurge } = rolloutLimits(deployment);
  const annotations = {
    ...replicaSet.metadata.annotations,
    [desiredAnnotation]: String(wanted),
    [maxAnnotation]: String(wanted + maxSurge),
  };
  return {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    spec: { ...replicaSet.spec, replicas },
  };
}

/** Finds the ReplicaSet with the current template of a Deployment; the oldest, if several have it. */
function findCurrent(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...replicaSets]
    .sort(byAge)
    .find(({ spec }) => isEqual(withoutHash(spec.template), deployment.spec.template));
}

/** The revision of a ReplicaSet, an integer of 64 bits; 0 if it has none yet or another text. */
function revisionOf(replicaSet: ReplicaSet): bigint {
  return readRevision(revisionText(replicaSet)) ?? 0n;
}

function revisionText({ metadata }: ReplicaSet): string {
  return metadata.annotations?.[revisionAnnotation] ?? "";
}

function readRevision(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const revision = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** The annotation with a ReplicaSet's earlier revisions, separated by commas. */
const historyAnnotation = "deployment.kubernetes.io/revision-history";

/** Annotations of a Deployment that its ReplicaSets don't inherit. */
const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

/**
 * The annotations of a Deployment's current ReplicaSet. One that becomes current again by a rollback gets the
 * newest revision and records its earlier ones.
 */
function currentAnnotations(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Record<string, string> {
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  const annotations = { ...current?.metadata.annotations, ...Object.fromEntries(inherited) };
  const next = old.map(revisionOf).reduce((max, each) => (each > max ? each : max), 0n) + 1n;
  const last = current ? revisionText(current) : "";
  const before = last === "" ? 0n : readRevision(last);
  if (before === undefined || before >= next) return annotations;
  const past = [annotations[historyAnnotation], last].filter(Boolean).join(",");
  return {
    ...annotations,
    [revisionAnnotation]: String(next),
    ...(past !== "" && { [historyAnnotation]: past }),
  };
}

function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
