import type { ObjectReference, Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { required } from "@tsbuilder/apimachinery/errors";

import { formatTime } from "@tsbuilder/apimachinery/time";
import { updateObject } from "../../registry/update-object.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { badRequest, conflict, invalidObject, notFound } from "../../contract/status-error.ts";
import type { Stored } from "../../contract/stored.ts";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { Target } from "../target.ts";
import { writeOf } from "../write-options.ts";
import { admitBody } from "./admit-body.ts";
import { readBodyObject } from "./read-body-object.ts";

/** Binds a Pod to a node, as a scheduler does. */
export async function handleBinding(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "CreateOptions");
  const binding = await admitBody(write, await readBodyObject(context, target));
  if (binding.metadata.name !== target.name)
    throw badRequest("name in URL does not match name in Binding object");
  const { name: node } = (binding["target"] ?? {}) as ObjectReference;
  if (!node) {
    const subject = { group: "", plural: "bindings", kind: "Binding" };
    throw invalidObject(subject, target.name, [required("target.name")]);
  }
  await updateObject(
    { ...write, admitted: true },
    {
      next: (current) => {
        if (!current) throw notFound(target.resource, target.name);
        const pod = copyJSON(current);
        const { spec, status } = pod as Stored<Pod>;
        if (spec.nodeName) {
          const why = `pod ${target.name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
          throw conflict({ group: "", plural: "pods/binding", kind: "Pod" }, target.name, why);
        }
        spec.nodeName = node;
        const lastTransitionTime = formatTime(target.core.clock.now());
        const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime };
        const others = (status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
        pod["status"] = { ...status, conditions: [...others, scheduled] };
        return pod;
      },
      retry: true,
    },
  );
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}
