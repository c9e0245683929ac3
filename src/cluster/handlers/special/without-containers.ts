import { badRequest, notFound } from "../../contract/status-error.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { keyOf } from "../../registry/resource.ts";
import type { Target } from "../target.ts";

/** What is missing without running containers, by subresource. */
const missing: Readonly<Record<string, string>> = {
  log: "has no logs",
  exec: "can't run commands",
  attach: "has no process to attach to",
  portforward: "has no ports to forward",
  proxy: "can't be connected to",
};

/** Explains to `kubectl logs`, `exec`, `cp`, `attach`, `port-forward` and `proxy` why there is no container. */
export async function handleWithoutContainers(_: RequestContext, target: Target): Promise<Reply> {
  const { resource, namespace, name, subresource } = target;
  if (!resource.collection.get(keyOf(resource, namespace, name))) throw notFound(resource, name);
  const what = `${resource.singular} ${JSON.stringify(name)} ${missing[subresource]!}`;
  throw badRequest(
    `containers don't run in the embedded cluster, so ${what}: use a cluster with nodes, such as kind`,
  );
}
