import type { Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { DeleteOptions } from "@tsbuilder/apimachinery/k8s/meta/v1";
import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import type { ApiObject, Stored } from "../../contract/api-object.ts";
import { setNamespace } from "../../registry/create-object.ts";
import { deleteObject } from "../../registry/delete-object.ts";
import { keyOf } from "../../registry/resource.ts";
import { type Reply, type RequestContext, jsonReply } from "../../http/request-context.ts";
import { StatusError, badRequest, notFound } from "../../contract/status-error.ts";
import { type Target, writeOf } from "../target.ts";
import { admitBody } from "../../registry/write.ts";
import { readBodyObject } from "../read-object.ts";

/** Handles the eviction of a Pod: deletes it if its disruption budget allows that. */
export async function handleEviction(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "CreateOptions");
  const { core, resource, namespace, name } = target;
  const sent = await readBodyObject(context, target);
  setNamespace(target, sent);
  const eviction = await admitBody(write, sent);
  if (eviction.metadata.name !== name) throw badRequest("name in URL does not match name in Eviction object");
  const pod = core.store.collection("pods").get(keyOf(resource, namespace, name));
  if (!pod) throw notFound(resource, name);
  const budgets = isServing(pod.object) ? budgetsOf(target, pod.object) : [];
  if (budgets.length > 1) throw new StatusError(500, undefined, severalBudgets);
  const budget = budgets.find((one) => takesFrom(one, pod.object));
  const options = (eviction["deleteOptions"] ?? {}) as DeleteOptions;
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { metadata } = pod.object;
  const isAsSeen = (uid ?? metadata.uid) === metadata.uid;
  // If it isn't, the deletion fails.
  if (
    !write.dryRun &&
    isAsSeen &&
    (resourceVersion ?? metadata.resourceVersion) === metadata.resourceVersion
  ) {
    const recorded = await recordEviction(target, pod.object, budget);
    if (resourceVersion !== undefined)
      options.preconditions = { ...options.preconditions, resourceVersion: recorded };
  }
  await deleteObject({ ...write, subresource: "", admitted: true }, options);
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

/** The user that updates the status of evicted Pods and their budgets. */
const evictionUser = "system:apiserver";

type Budget = Stored<PodDisruptionBudget>;

/**
 * Decrements the budget at once, without waiting for its controller, and sets the Pod's DisruptionTarget condition.
 * Returns the Pod's new version.
 */
async function recordEviction({ core }: Target, pod: ApiObject, budget: Budget | undefined): Promise<string> {
  const objects = clusterObjects(core);
  const now = formatTime(core.clock.now());
  if (budget) {
    const { status } = budget;
    const disruptedPods = { ...status?.disruptedPods, [pod.metadata.name!]: now };
    const disruptionsAllowed = (status?.disruptionsAllowed ?? 0) - 1;
    const evicting = { ...budget, status: { ...status, disruptedPods, disruptionsAllowed } };
    await objects.update(evictionUser, evicting, "status");
  }
  const disrupted = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: now,
  };
  const { status } = pod as Stored<Pod>;
  const others = (status?.conditions ?? []).filter(({ type }) => type !== disrupted.type);
  const evicted = { ...pod, status: { ...status, conditions: [...others, disrupted] } };
  const { metadata } = await objects.update(evictionUser, evicted, "status");
  return metadata.resourceVersion!;
}

/** Pods that are pending, finished or being deleted don't count towards budgets. */
function isServing(pod: ApiObject): boolean {
  const { metadata, status } = pod as Stored<Pod>;
  return metadata.deletionTimestamp === undefined && ["Running", "Unknown"].includes(status?.phase ?? "");
}

const severalBudgets =
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";

function budgetsOf({ core, namespace }: Target, { metadata }: ApiObject): Budget[] {
  return [...core.store.collection("poddisruptionbudgets.policy").list(`${namespace}/`)]
    .map(({ object }) => object as Budget)
    .filter(({ spec }) => matchesLabelSelector(spec.selector, metadata.labels ?? {}));
}

/** Returns whether the eviction of a pod takes a part of the budget; throws if it allows no disruption. */
function takesFrom(budget: Budget, pod: ApiObject): boolean {
  const { metadata, status } = budget;
  const { conditions } = (pod as Stored<Pod>).status ?? {};
  const isReady = conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  if (!isReady && mayLoseUnready(budget)) return false;
  if ((status?.disruptionsAllowed ?? 0) > 0) return true;
  const message = `The disruption budget ${metadata.name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`;
  const why = "Cannot evict pod as it would violate the pod's disruption budget.";
  throw new StatusError(429, "TooManyRequests", why, { causes: [{ reason: "DisruptionBudget", message }] });
}

/** A pod that isn't ready may go if the budget says so, or if it lacks none of those that are. */
function mayLoseUnready({ spec, status }: Budget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}
