import { formatFieldError, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { ObjectReference, Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Problems } from "../../kinds/checks/problems.ts";
import { setNamespace } from "../../registry/create-object.ts";
import { updateObject } from "../../registry/update-object.ts";
import { admitBody } from "../../registry/write.ts";
import { type Reply, type RequestContext, jsonReply } from "../../http/request-context.ts";
import type { ApiObject, Stored } from "../../contract/api-object.ts";
import { StatusError, badRequest, conflict, listed, notFound } from "../../contract/status-error.ts";
import { readBodyObject, readObject } from "../read-object.ts";
import { type Target, writeOf } from "../target.ts";

/** Binds the Pod of the path to a node, as a scheduler does. */
export async function handleBinding(context: RequestContext, target: Target): Promise<Reply> {
  const sent = await readBodyObject(context, target);
  return bind(context, target, sent);
}

/** Binds the Pod that the Binding names: the legacy endpoint of schedulers. */
export async function handleLegacyBinding(context: RequestContext, target: Target): Promise<Reply> {
  const sent = await readObject(context, target, "CreateOptions");
  setNamespace(target, sent);
  const { name = "" } = sent.metadata;
  const { resource, version: served } = target.core.registry.endpoint("", "v1", "pods")!;
  const subresourceInfo = resource.subresources.get("binding");
  return bind(context, { ...target, resource, served, name, subresource: "binding", subresourceInfo }, sent);
}

async function bind(context: RequestContext, target: Target, sent: ApiObject): Promise<Reply> {
  const write = writeOf(context, target, "CreateOptions");
  const binding = await admitBody(write, sent);
  if ((binding.metadata.name ?? "") !== target.name)
    throw badRequest("name in URL does not match name in Binding object");
  const { kind = "", name: node = "" } = (binding["target"] ?? {}) as ObjectReference;
  const problems = [...checkTarget(kind, node)].map((error) => formatFieldError(error));
  // The real server returns these problems as a plain error, not as an Invalid status.
  if (problems.length > 0) throw new StatusError(500, undefined, listed(problems));
  if (!target.name) throw badRequest("Name parameter required.");
  await updateObject(
    { ...write, admitted: true, keepsManagers: true },
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

function* checkTarget(kind: string, node: string): Problems {
  if (kind !== "" && kind !== "Node") yield notSupported("target.kind", kind, ["Node", "<empty>"]);
  if (node === "") yield required("target.name");
}
