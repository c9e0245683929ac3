import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, formatSelector, readField } from "../../cells.ts";
import * as workload from "../workload.ts";
import type { Stored, SentObject, ApiObject, Sent } from "../../../contract/api-object.ts";
import { isEmptySelector, isValidSelector, selectorProblems } from "../../checks/meta-types.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { podTemplateProblems } from "../../core/pod-spec/validate.ts";
import {
  type ControllerRevision,
  dropOldRevisions,
  ensureRevision,
  revisionLabel,
} from "../../../control-loop/revisions/controller-revisions.ts";
import { type Defaulted, type Node, type Pod, nodes, pods } from "../../../control-loop/api/core.ts";
import { claimDependents } from "../../../control-loop/claim-dependents.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { reportedFailure } from "../../../control-loop/failures.ts";
import { findByKey, keyOf, keysOfOwner } from "../../../control-loop/keys.ts";
import { createPod, deletePod, newPod } from "../../../control-loop/pods/pod-control.ts";
import { isAvailable, isFinished, isReady, nextAvailable } from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { positiveCounts, scaledCount } from "../../../control-loop/counts.ts";
import { fitsNode } from "../../core/node/node-fit.ts";
import { untoleratedTaints } from "../../core/node/taints.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";

/** The counts that the status of a DaemonSet always has, even if they are 0. */
const noCounts = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

/** The annotation that counts the changes of the template, as the field `templateGeneration` of extensions/v1beta1 did. */
const templateGeneration = "deprecated.daemonset.template.generation";

type DaemonSetSpec = Sent<apps.DaemonSetSpec>;
type SentDaemonSet = SentObject<DaemonSetSpec>;

export const daemonSet: BuiltInKind<"daemonset"> = {
  resource: "daemonsets.apps",
  strategy: {
    statusWritesMetadata: true,
    partialMetadata({ annotations: { [templateGeneration]: _count, ...annotations } = {}, ...metadata }) {
      return { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
    },
    default(object) {
      workload.defaultSpec(object);
      const { spec } = object as SentDaemonSet;
      workload.defaultRollingUpdate(spec.updateStrategy!, { maxUnavailable: 1, maxSurge: 0 });
      object.metadata.annotations = { [templateGeneration]: "0", ...object.metadata.annotations };
    },
    prepareForCreate({ metadata: { annotations } }) {
      if (Number(annotations![templateGeneration]) < 1) annotations![templateGeneration] = "1";
    },
    prepareForUpdate(object, old) {
      const changed = !isEqual((object as SentDaemonSet).spec.template, (old as SentDaemonSet).spec.template);
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
      object.metadata.annotations![templateGeneration] = String(changed ? before + 1 : before);
    },
    validate: (object) => [...daemonSetProblems(object as SentDaemonSet)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(object)]
        : [
            ...nonNegative(
              "spec.templateGeneration",
              Number(object.metadata.annotations![templateGeneration]),
            ),
            ...workload.selectorChanges(object, old),
            ...daemonSetProblems(object as SentDaemonSet),
          ],
    warnings: (object, old) => workload.templateWarnings(object, old),
  },
  cells: {
    Desired: count("status.desiredNumberScheduled"),
    Current: count("status.currentNumberScheduled"),
    Ready: count("status.numberReady"),
    "Up-to-date": count("status.updatedNumberScheduled"),
    Available: count("status.numberAvailable"),
    "Node Selector": (object) =>
      formatSelector({ matchLabels: readField(object, "spec.template.spec.nodeSelector") ?? {} }),
    ...workload.templateCells,
    Selector: workload.selectorCell,
  },
  podTemplate: "spec.template",
  controllers: { daemonset: daemonSetController },
  zeroValues: { metadata: { annotations: { [templateGeneration]: "0" } } },
};

function* statusProblems(object: ApiObject): Problems {
  const status = object["status"] as Record<string, number | undefined>;
  const optionalCounts = [
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ];
  for (const name of [...Object.keys(noCounts), ...optionalCounts])
    yield* nonNegative(`status.${name}`, status[name]);
}

function* daemonSetProblems({ spec }: SentDaemonSet): Problems {
  const { selector } = spec;
  yield* selectorProblems("spec.selector", selector);
  if (isValidSelector(selector)) yield* workload.templateLabelProblems(spec.selector, spec.template);
  if (selector && isEmptySelector(selector))
    yield invalid("spec.selector", selector, "empty selector is invalid for daemonset");
  yield* podTemplateProblems(spec.template, "spec.template");
  yield* workload.restartPolicyProblems(spec, "DaemonSet");
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* updateStrategyProblems("spec.updateStrategy", spec.updateStrategy ?? {});
  yield* nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

function* updateStrategyProblems(field: string, update: Sent<apps.DaemonSetUpdateStrategy>): Problems {
  const { type, rollingUpdate } = update;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate")
    return yield workload.unsupportedStrategy(field, update, ["RollingUpdate", "OnDelete"]);
  if (!rollingUpdate) return yield required(`${field}.rollingUpdate`);
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = `${field}.rollingUpdate`;
  yield* workload.intOrPercentProblems(`${at}.maxUnavailable`, maxUnavailable);
  yield* workload.intOrPercentProblems(`${at}.maxSurge`, maxSurge);
  yield* workload.percentProblems(`${at}.maxUnavailable`, maxUnavailable);
  yield* workload.percentProblems(`${at}.maxSurge`, maxSurge);
  const [unavailable, surge] = [workload.amountOf(maxUnavailable) !== 0, workload.amountOf(maxSurge) !== 0];
  if (unavailable && surge) {
    yield invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (!unavailable && !surge) {
    yield required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  }
}

export type DaemonSet = Defaulted<Stored<apps.DaemonSet>, "revisionHistoryLimit">;

export const daemonSets: ResourceName<DaemonSet> = "daemonsets.apps";
const user = userOf("daemon-set");

/** Keeps one pod of a DaemonSet on every eligible node. */
export function daemonSetController(context: ControllerContext): Controller {
  const steps = reporting(context, user, "daemonset-controller");
  const { objects, clock, report } = steps;
  return {
    watches: [daemonSets, pods, nodes],

    keysOf(event) {
      if (event.resource === nodes) return objects.list(daemonSets).map(keyOf);
      return keysOfOwner(objects, daemonSets, "DaemonSet", event);
    },

    async reconcile(key) {
      const set = findByKey(objects, daemonSets, key);
      if (!set) return undefined;
      const revision = await ensureRevision(steps, set);
      const failure = set.metadata.deletionTimestamp
        ? undefined
        : await reportedFailure(takeStep(set, revision));
      const after = await updateStatus(key, revision);
      if (failure) throw failure;
      return after;
    },
  };

  async function takeStep(set: DaemonSet, revision: ControllerRevision): Promise<void> {
    const owned = await claimDependents(steps, set, pods);
    const where = daemonNodes(set, objects.list(nodes));
    const { create, remove } = nextDaemonStep(set, where, owned, revision, clock.now());
    for (const name of create) await createPod(steps, set, daemonPod(set, name, revision));
    for (const pod of remove) {
      await reportEnd(set, pod);
      await deletePod(steps, set, pod);
    }
  }

  /** The pods of a DaemonSet are meant to run forever: one that finishes is recreated. */
  async function reportEnd(set: DaemonSet, pod: Pod): Promise<void> {
    const { metadata, spec, status } = pod;
    const what = `daemon pod ${metadata.namespace}/${metadata.name} on node ${spec.nodeName}, will try to`;
    if (status?.phase === "Failed") {
      await report(set, "Warning", "FailedDaemonPod", `Found failed ${what} kill it`);
    } else if (status?.phase === "Succeeded") {
      await report(set, "Normal", "SucceededDaemonPod", `Found succeeded ${what} delete it`);
    }
  }

  async function updateStatus(key: string, revision: ControllerRevision): Promise<number | undefined> {
    const set = findByKey(objects, daemonSets, key);
    if (!set) return undefined;
    const owned = await claimDependents(steps, set, pods);
    const { wanted } = daemonNodes(set, objects.list(nodes));
    const status = daemonSetStatus(set, wanted, owned, revision, clock.now());
    if (!isEqual(status, set.status)) await objects.update(user, { ...set, status }, "status");
    const hashes = owned.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? "");
    const inUse = hashes.map((hash) => `${set.metadata.name}-${hash}`);
    await dropOldRevisions(steps, set, new Set([revision.metadata.name!, ...inUse]));
    return nextAvailable(owned, set.spec.minReadySeconds, clock.now());
  }
}

type DaemonSetStatus = Stored<apps.DaemonSetStatus>;

function daemonSetStatus(
  set: DaemonSet,
  wanted: readonly string[],
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: number,
): DaemonSetStatus {
  const living = pods.filter(({ metadata }) => !metadata.deletionTimestamp);
  const onNode = podsByNode(living);
  const onWanted = wanted.flatMap((name) => onNode.get(name)?.[0] ?? []);
  const count = (holds: (pod: Pod) => boolean) => onWanted.filter(holds).length;
  const available = count((pod) => isAvailable(pod, set.spec.minReadySeconds, now));
  return {
    currentNumberScheduled: onWanted.length,
    numberMisscheduled: living.filter((pod) => !wanted.includes(nodeOf(pod))).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    observedGeneration: set.metadata.generation ?? 0,
    ...positiveCounts({
      updatedNumberScheduled: count((pod) => hasRevision(pod, revision)),
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    }),
  };
}

/** The nodes to create pods for, and the pods to delete, next. */
interface DaemonStep {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/** A DaemonSet whose pods may have an older template. */
interface Rollout {
  readonly set: DaemonSet;
  readonly wanted: readonly string[];
  /** The pods of each node that are not being deleted. */
  readonly onNode: ReadonlyMap<string, readonly Pod[]>;
  readonly isNew: (pod: Pod) => boolean;
  readonly isAvailable: (pod: Pod) => boolean;
}

/** The nodes that should have a pod, and those where an existing pod may stay. */
interface DaemonNodes {
  readonly wanted: readonly string[];
  readonly mayStay: readonly string[];
}

/**
 * Plans the next step of a DaemonSet: one pod on each eligible node, and once all exist, the update of outdated
 * ones. With maxSurge a node has two pods for a while: the old one stays until the new one is available.
 */
function nextDaemonStep(
  set: DaemonSet,
  { wanted, mayStay }: DaemonNodes,
  pods: readonly Pod[],
  revision: ControllerRevision,
  now: number,
): DaemonStep {
  const rollout: Rollout = {
    set,
    wanted,
    isNew: (pod) => hasRevision(pod, revision),
    isAvailable: (pod) => isAvailable(pod, set.spec.minReadySeconds, now),
    onNode: podsByNode(pods.filter(({ metadata }) => !metadata.deletionTimestamp)),
  };
  const create = wanted.filter((name) => !pods.some((pod) => nodeOf(pod) === name));
  const remove = [...rollout.onNode].flatMap(([name, existing]) => {
    return mayStay.includes(name) ? superfluousPods(rollout, existing) : existing;
  });
  if (create.length + remove.length > 0) return { create, remove };
  if (set.spec.updateStrategy?.type === "OnDelete") return { create: [], remove: [] };
  return surgeCount(rollout) > 0 ? replaceWithSurge(rollout) : replaceInPlace(rollout);
}

/** The pods of each node, oldest first. */
function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byAge = pods.toSorted((a, b) =>
    (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1,
  );
  const onNode = new Map<string, Pod[]>();
  for (const pod of byAge) onNode.set(nodeOf(pod), [...(onNode.get(nodeOf(pod)) ?? []), pod]);
  return onNode;
}

/** Returns the pods of a node to delete: finished ones, and all but one, or during a surge all but an old and a new one. */
function superfluousPods(rollout: Rollout, existing: readonly Pod[]): Pod[] {
  const ended = existing.filter(isFinished);
  const running = existing.filter((pod) => !isFinished(pod));
  if (surgeCount(rollout) === 0) return [...ended, ...running.slice(1)];
  const [newest, ...moreNew] = running.filter(rollout.isNew);
  const [old, ...moreOld] = running.filter((pod) => !rollout.isNew(pod));
  const isReplaced = newest && old && (!isReady(old) || rollout.isAvailable(newest));
  return [...ended, ...moreNew, ...moreOld, ...(isReplaced ? [old] : [])];
}

/** Returns the number of nodes that may have a second pod during an update. */
function surgeCount({ set, wanted }: Rollout): number {
  if (set.spec.updateStrategy?.type === "OnDelete") return 0;
  return scaledCount(set.spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0, wanted.length, Math.ceil);
}

/** Chooses old pods to delete, up to maxUnavailable; unavailable ones are deleted in any case. */
function replaceInPlace({ set, wanted, onNode, isNew, isAvailable }: Rollout): DaemonStep {
  const limit = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  const maxUnavailable = Math.max(1, scaledCount(limit, wanted.length, Math.ceil));
  const existing = [...onNode.values()].flat();
  const room = Math.max(0, maxUnavailable - (wanted.length - existing.filter(isAvailable).length));
  const outdated = existing.filter((pod) => !isNew(pod));
  const unavailable = outdated.filter((pod) => !isAvailable(pod));
  return { create: [], remove: [...unavailable, ...outdated.filter(isAvailable).slice(0, room)] };
}

/** Chooses nodes that get a new pod in addition to the old one, up to maxSurge, or if the old one is not available. */
function replaceWithSurge(rollout: Rollout): DaemonStep {
  const { onNode, isNew, isAvailable } = rollout;
  const nodes = [...onNode];
  const surging = nodes.filter(([, pods]) => pods.length > 1).length;
  const outdated = nodes.filter(([, pods]) => pods.length === 1 && !pods.some(isNew));
  const unavailable = outdated.filter(([, pods]) => !pods.some(isAvailable));
  const serving = outdated.filter(([, pods]) => pods.some(isAvailable));
  const room = Math.max(0, surgeCount(rollout) - surging);
  return { create: [...unavailable, ...serving.slice(0, room)].map(([name]) => name), remove: [] };
}

/** Builds the pod for a node, which node affinity ties it to. */
function daemonPod(set: DaemonSet, nodeName: string, revision: ControllerRevision): Pod {
  const generation = set.metadata.annotations?.[templateGeneration];
  const pod = newPod(
    set,
    set.spec.template,
    { generateName: `${set.metadata.name}-` },
    {
      [revisionLabel]: revision.metadata.labels?.[revisionLabel] ?? "",
      ...(generation === undefined ? {} : { "pod-template-generation": generation }),
    },
  );
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: [nodeName] }];
  const nodeAffinity = {
    ...pod.spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
  };
  return {
    ...pod,
    spec: {
      ...pod.spec,
      affinity: { ...pod.spec.affinity, nodeAffinity },
      tolerations: tolerationsOf(set),
    },
  };
}

/** The node taints that the controller adds tolerations for to the pods of every DaemonSet. */
const standardTaints = [
  { name: "not-ready", effect: "NoExecute" },
  { name: "unreachable", effect: "NoExecute" },
  { name: "disk-pressure", effect: "NoSchedule" },
  { name: "memory-pressure", effect: "NoSchedule" },
  { name: "pid-pressure", effect: "NoSchedule" },
  { name: "unschedulable", effect: "NoSchedule" },
] as const;

const hostNetworkTaints = [...standardTaints, { name: "network-unavailable", effect: "NoSchedule" } as const];

function tolerationsOf({ spec }: DaemonSet): NonNullable<Pod["spec"]["tolerations"]> {
  const { hostNetwork, tolerations = [] } = spec.template.spec;
  const taints = hostNetwork ? hostNetworkTaints : standardTaints;
  const own = taints.map(({ name, effect }) => {
    return { key: `node.kubernetes.io/${name}`, operator: "Exists" as const, effect };
  });
  return [...tolerations, ...own];
}

/** The node that a pod of a DaemonSet runs on, or is meant for. */
function nodeOf({ spec }: Pod): string {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return spec.nodeName || (terms?.[0]?.matchFields?.[0]?.values?.[0] ?? "");
}

/** Finds the nodes for a DaemonSet's pods. A taint that a node got later removes a pod only if its effect is NoExecute. */
function daemonNodes(set: DaemonSet, nodes: readonly Node[]): DaemonNodes {
  const spec = { ...set.spec.template.spec, tolerations: tolerationsOf(set) };
  const fitting = nodes.filter((node) => fitsNode(spec, node));
  const names = (of: readonly Node[]) => of.map(({ metadata }) => metadata.name!);
  return {
    wanted: names(fitting.filter((node) => untoleratedTaints(spec, node).length === 0)),
    mayStay: names(
      fitting.filter((node) => untoleratedTaints(spec, node).every(({ effect }) => effect !== "NoExecute")),
    ),
  };
}

function hasRevision({ metadata }: Pod, revision: ControllerRevision): boolean {
  return metadata.labels?.[revisionLabel] === revision.metadata.labels?.[revisionLabel];
}
