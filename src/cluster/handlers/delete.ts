import { deleteObject } from "../registry/delete-object.ts";
import { jsonReply } from "../http/reply.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { readDeleteOptions, warnOfDeletion } from "./delete-options.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { deletionOf } from "./write-options.ts";

/** Deletes an object. Responds with a Status if it is gone, or the object if finalizers or its grace period keep it. */
export async function handleDelete(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const write = deletionOf(context, target, { dryRun: options.dryRun, options: options.raw });
  warnOfDeletion(context, target, options);
  const { gone, entry } = await deleteObject(write, options);
  if (!gone || target.resource.strategy.returnsDeleted)
    return replyObject(context, target, entry, options.orphanDependents === false ? 202 : 200);
  const { resource, name } = target;
  return jsonReply({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.plural,
      uid: entry.object.metadata.uid,
    },
  });
}
