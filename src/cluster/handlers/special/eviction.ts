import type { KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type DeleteOptions, deleteObject } from "../../registry/delete-object.ts";
import { keyOf } from "../../registry/resource.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { notFound, StatusError } from "../../contract/status-error.ts";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Target } from "../target.ts";
import { writeOf } from "../write-options.ts";
import { admitBody } from "./admit-body.ts";
import { readBodyObject } from "./read-body-object.ts";

/** In whose name evictions are noted: the server's own. */
const user = "system:apiserver";

/** Deletes a Pod unless a disruption budget objects. */
export async function handleEviction(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "CreateOptions");
  const eviction = await admitBody(write, await readBodyObject(context, target));
  const { core, resource, namespace, name } = target;
  const pod = core.store.collection("pods").get(keyOf(resource, namespace, name));
  if (!pod) throw notFound(resource, name);
  const budget = isServing(pod.object) ? checkBudgets(target, pod.object.metadata.labels ?? {}) : undefined;
  const options = (eviction["deleteOptions"] ?? {}) as DeleteOptions;
  if (!write.dryRun) await note(target, pod.object, budget);
  await deleteObject({ ...write, subresource: "", admitted: true }, options);
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

interface Budget extends KubernetesObject {
  spec: { selector?: LabelSelector };
  status?: {
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
  };
}

/** The budget has one pod less to give from now on, whenever its controller looks; the pod says why it goes. */
async function note({ core }: Target, pod: ApiObject, budget: Budget | undefined): Promise<void> {
  const objects = clusterObjects(core);
  const now = formatTime(core.clock.now());
  if (budget) {
    const { status = {} } = budget;
    const disruptedPods = { ...status.disruptedPods, [pod.metadata.name!]: now };
    const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
    await objects.update(
      user,
      { ...budget, status: { ...status, disruptedPods, disruptionsAllowed } },
      "status",
    );
  }
  const disrupted = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: now,
  };
  const status = pod["status"] as { conditions?: { type: string }[] } | undefined;
  const others = (status?.conditions ?? []).filter(({ type }) => type !== disrupted.type);
  const evicted = { ...pod, status: { ...status, conditions: [...others, disrupted] } };
  await objects.update(user, evicted, "status");
}

/** Who has not come up, has ended or goes already is missed by no budget. */
function isServing({ metadata, status }: ApiObject & { status?: { phase?: string } }): boolean {
  return metadata.deletionTimestamp === undefined && ["Running", "Unknown"].includes(status?.phase ?? "");
}

/** Finds the budget that lets a pod go, if it is under one. */
function checkBudgets({ core, namespace }: Target, labels: Record<string, string>): Budget | undefined {
  let found: Budget | undefined;
  for (const { object } of core.store.collection("poddisruptionbudgets.policy").list(`${namespace}/`)) {
    const budget = object as unknown as Budget;
    const { spec, status = {} } = budget;
    if (!matchesLabelSelector(spec.selector, labels)) continue;
    found = budget;
    if ((status.disruptionsAllowed ?? 0) > 0) continue;
    const message = `The disruption budget ${object.metadata.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`;
    throw new StatusError(
      429,
      "TooManyRequests",
      "Cannot evict pod as it would violate the pod's disruption budget.",
      { causes: [{ reason: "DisruptionBudget", message }] },
    );
  }
  return found;
}
