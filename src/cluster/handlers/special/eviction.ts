import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { type DeleteOptions, deleteObject } from "../../registry/delete-object.ts";
import { keyOf } from "../../registry/resource.ts";
import { jsonReply } from "../../server/reply.ts";
import type { Reply, RequestContext } from "../../server/request-context.ts";
import { notFound, StatusError } from "../../status/index.ts";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Target } from "../target.ts";
import { writeOf } from "../write-options.ts";
import { readBodyObject } from "./read-body-object.ts";

/** Deletes a Pod unless a disruption budget objects. */
export async function handleEviction(context: RequestContext, target: Target): Promise<Reply> {
  const eviction = await readBodyObject(context, target);
  const { core, resource, namespace, name } = target;
  const pod = core.store.collection("pods").get(keyOf(resource, namespace, name));
  if (!pod) throw notFound(resource, name);
  checkBudgets(target, pod.object.metadata.labels ?? {});
  const options = (eviction["deleteOptions"] ?? {}) as DeleteOptions;
  const write = writeOf(context, { ...target, subresource: "" }, "CreateOptions");
  await deleteObject(write, options);
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

interface Budget {
  spec: { selector?: LabelSelector };
  status?: { disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number };
}

function checkBudgets({ core, namespace }: Target, labels: Record<string, string>): void {
  for (const { object } of core.store.collection("poddisruptionbudgets.policy").list(`${namespace}/`)) {
    const { spec, status = {} } = object as unknown as Budget;
    if (!matchesLabelSelector(spec.selector, labels) || (status.disruptionsAllowed ?? 0) > 0) continue;
    const message = `The disruption budget ${object.metadata.name} needs ${status.desiredHealthy ?? 0} healthy pods and has ${status.currentHealthy ?? 0} currently`;
    throw new StatusError(
      429,
      "TooManyRequests",
      "Cannot evict pod as it would violate the pod's disruption budget.",
      { causes: [{ reason: "DisruptionBudget", message }] },
    );
  }
}
