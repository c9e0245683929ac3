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
  const budget = isServing(pod.object) ? checkBudgets(target, pod.object.metadata.labels ?? {}) : undefined;
  const options = (eviction["deleteOptions"] ?? {}) as DeleteOptions;
  if (!write.dryRun) await recordEviction(target, pod.object, budget);
  await deleteObject({ ...write, subresource: "", admitted: true }, options);
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

/** The user that updates the status of evicted Pods and their budgets. */
const evictionUser = "system:apiserver";

type Budget = Stored<PodDisruptionBudget>;

/** Decrements the budget at once, without waiting for its controller, and sets the Pod's DisruptionTarget condition. */
async function recordEviction({ core }: Target, pod: ApiObject, budget: Budget | undefined): Promise<void> {
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
  await objects.update(evictionUser, evicted, "status");
}

/** Pods that are pending, finished or being deleted don't count towards budgets. */
function isServing(pod: ApiObject): boolean {
  const { metadata, status } = pod as Stored<Pod>;
  return metadata.deletionTimestamp === undefined && ["Running", "Unknown"].includes(status?.phase ?? "");
}

/** Finds the budget that covers a pod; throws if it allows no disruption. */
function checkBudgets({ core, namespace }: Target, labels: Record<string, string>): Budget | undefined {
  let covering: Budget | undefined;
  for (const { object } of core.store.collection("poddisruptionbudgets.policy").list(`${namespace}/`)) {
    const budget = object as Budget;
    const { spec, status } = budget;
    if (!matchesLabelSelector(spec.selector, labels)) continue;
    covering = budget;
    if ((status?.disruptionsAllowed ?? 0) > 0) continue;
    const message = `The disruption budget ${object.metadata.name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`;
    const why = "Cannot evict pod as it would violate the pod's disruption budget.";
    const causes = [{ reason: "DisruptionBudget", message }];
    throw new StatusError(429, "TooManyRequests", why, { causes });
  }
  return covering;
}
