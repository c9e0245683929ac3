import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count } from "../../cells.ts";
import * as workload from "../workload.ts";
import type { Sent, SentObject } from "../../../contract/api-object.ts";
import { resetStatusAlone, takeOver } from "../../../registry/default-strategy.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { knownValues } from "../../checks/known-values.ts";
import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { type ReplicaSet, replicaSets } from "../replica-set/replica-set-controller.ts";
import { type PodTemplateSpec, pods } from "../../../control-loop/api/core.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../control-loop/keys.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { isFinished } from "../../../control-loop/pods/pod-state.ts";
import { templateHash } from "../../../control-loop/pods/template-hash.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";
import type { DesiredReplicas, Deployment } from "./desired-replicas.ts";
import { desiredReplicas, rolloutLimits, byAge, proportionalReplicas } from "./desired-replicas.ts";
import { deploymentStatus, isComplete, untilDeadline } from "./deployment-status.ts";

type DeploymentSpec = Sent<apps.DeploymentSpec>;
type SentDeployment = SentObject<DeploymentSpec>;

export const deployment: BuiltInKind<"deployment"> = {
  resource: "deployments.apps",
  strategy: {
    statusWritesMetadata: true,
    /** A change of annotations increments the generation, too. */
    specChanged: (object, old, subresource) =>
      !isEqual((object as SentDeployment).spec, (old as SentDeployment).spec) ||
      (subresource !== "status" &&
        !isEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})),
    resetFields(object, old, subresource) {
      resetStatusAlone(object, old, subresource);
      if (subresource === "status") takeOver(object.metadata, old!.metadata, "labels");
    },
    default(object) {
      workload.defaultScaledSpec(object);
      const { spec } = object as SentDeployment;
      workload.defaultRollingUpdate(spec.strategy!, { maxUnavailable: "25%", maxSurge: "25%" });
    },
    validate: (object) => [...deploymentProblems(object as SentDeployment)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [
            ...workload.replicaCountProblems(object, [
              "updatedReplicas",
              "readyReplicas",
              "availableReplicas",
            ]),
            ...workload.collisionProblems(object, old),
          ]
        : [...deploymentProblems(object as SentDeployment), ...workload.selectorChanges(object, old)],
    warnings: (object, old) => workload.workloadWarnings(object, old),
  },
  cells: {
    Ready: workload.readyCell,
    "Up-to-date": count("status.updatedReplicas"),
    Available: count("status.availableReplicas"),
    ...workload.templateCells,
    Selector: workload.selectorCell,
  },
  podTemplate: "spec.template",
  controllers: { deployment: deploymentController },
  zeroValues: { spec: { replicas: 0 } },
};

/** The field `rollbackTo` of extensions/v1beta1. */
const rollback = "deprecated.deployment.rollback.to";

function* deploymentProblems({ metadata, spec }: SentDeployment): Problems {
  const { minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* workload.templateProblems(spec, "deployment", "invalid label selector");
  yield* workload.restartPolicyProblems(spec, "ReplicaSet");
  yield* strategyProblems("spec.strategy", spec.strategy ?? {});
  yield* nonNegative("spec.minReadySeconds", minReadySeconds);
  yield* nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const revision = metadata?.annotations?.[rollback] ?? "";
  if (/^-?\d+$/u.test(revision)) yield* nonNegative("spec.rollback.version", Number(revision));
  yield* nonNegative("spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= minReadySeconds) {
    yield invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function* strategyProblems(field: string, strategy: Sent<apps.DeploymentStrategy>): Problems {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (!rollingUpdate) return;
    yield forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type !== "RollingUpdate") {
    yield workload.unsupportedStrategy(field, strategy, knownValues("apps/v1.DeploymentStrategy.type"));
  } else if (rollingUpdate) yield* rollingUpdateProblems(`${field}.rollingUpdate`, rollingUpdate);
  else yield required(`${field}.rollingUpdate`, "this should be defaulted and never be nil");
}

function* rollingUpdateProblems(
  field: string,
  { maxUnavailable = 0, maxSurge = 0 }: Sent<apps.RollingUpdateDeployment>,
): Problems {
  yield* workload.intOrPercentProblems(`${field}.maxUnavailable`, maxUnavailable);
  yield* workload.intOrPercentProblems(`${field}.maxSurge`, maxSurge);
  if (workload.amountOf(maxUnavailable) === 0 && workload.amountOf(maxSurge) === 0) {
    yield invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  yield* workload.percentProblems(`${field}.maxUnavailable`, maxUnavailable);
}

export const deployments: ResourceName<Deployment> = "deployments.apps";
const user = userOf("deployment");

/** The annotation with the revision number of a Deployment; `kubectl rollout history` lists them. */
const revisionAnnotation = "deployment.kubernetes.io/revision";

/** Rolls out a Deployment's template through ReplicaSets, one for each revision of the template. */
export function deploymentController(context: ControllerContext): Controller {
  const steps = reporting(context, user, "deployment-controller");
  const { objects, report, clock } = steps;
  return {
    watches: [deployments, replicaSets, pods],

    /** A deleted pod matters to Recreate, which waits until all old pods are gone. */
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
    if (deployment.spec.strategy?.type === "Recreate" && (await removeOldPods(deployment, old))) return;
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
    if (isComplete(deployment, status)) await deleteOldReplicaSets(deployment, old);
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
    if (current && revision) await writeRevision(deployment.metadata, revision);
    return current;
  }

  /** Writes the revision of a Deployment through the status subresource, which leaves the generation as it is. */
  async function writeRevision({ namespace, name }: Deployment["metadata"], revision: string): Promise<void> {
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
    const created = await objects.create(user, withScale(deployment, empty, replicas));
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
      const next = withScale(deployment, replicaSet, replicas);
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

  /** Deletes old pods before new ones are created, as Recreate demands. Returns true if there are old pods left. */
  async function removeOldPods(deployment: Deployment, old: readonly ReplicaSet[]): Promise<boolean> {
    const running = old.filter(({ spec }) => spec.replicas !== 0);
    await scaleAll(deployment, running, new Map(running.map(({ metadata }) => [metadata.name!, 0])));
    const owners = new Set(old.map(({ metadata }) => metadata.uid));
    return objects
      .list(pods, deployment.metadata.namespace)
      .some((pod) => !isFinished(pod) && pod.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)));
  }

  /** Deletes the oldest ReplicaSets beyond the Deployment's revisionHistoryLimit. */
  async function deleteOldReplicaSets({ spec }: Deployment, old: readonly ReplicaSet[]): Promise<void> {
    const unused = old.filter(
      (set) => set.spec.replicas === 0 && !set.status?.replicas && !set.metadata.deletionTimestamp,
    );
    const surplus = Math.max(0, unused.length - spec.revisionHistoryLimit);
    const byRevision = unused.toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)));
    for (const replicaSet of byRevision.slice(0, surplus)) {
      await objects.delete(user, replicaSet, { propagationPolicy: "Background" });
    }
  }
}

/** The annotation with the Deployment's replicas at the time it last scaled a ReplicaSet. */
const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";

/** Returns whether a Deployment was scaled since its ReplicaSets were last updated. */
function wasScaled(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  const wanted = String(deployment.spec.replicas);
  return replicaSets
    .filter(({ spec }) => spec.replicas > 0)
    .some(({ metadata }) => (metadata.annotations?.[desiredReplicasAnnotation] ?? wanted) !== wanted);
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
  return withScale(deployment, replicaSet, 0);
}

/** The annotation with the maximum number of pods at that time. */
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

/** Sets a ReplicaSet's replicas, and the annotations with the Deployment's replicas at that time. */
function withScale(deployment: Deployment, replicaSet: ReplicaSet, replicas: number): ReplicaSet {
  const wanted = deployment.spec.replicas;
  const { maxSurge } = rolloutLimits(deployment);
  const annotations = {
    ...replicaSet.metadata.annotations,
    [desiredReplicasAnnotation]: String(wanted),
    [maxReplicasAnnotation]: String(wanted + maxSurge),
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
const uninheritedAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
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
    ([key]) => !uninheritedAnnotations.has(key),
  );
  const annotations = { ...current?.metadata.annotations, ...Object.fromEntries(inherited) };
  const next = old.map(revisionOf).reduce((max, revision) => (revision > max ? revision : max), 0n) + 1n;
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
