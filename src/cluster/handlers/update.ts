import { updateObject } from "../registry/update-object.ts";
import type { Reply, RequestContext } from "../server/request-context.ts";
import { badRequest } from "../status/index.ts";
import { cloneJSON } from "../storage/api-object.ts";
import { readObject } from "./read-object.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { writeOf } from "./write-options.ts";

/** Replaces an object, or creates it where its kind allows that. */
export async function handleUpdate(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "UpdateOptions");
  const object = await readObject(context, target, "UpdateOptions");
  const { name } = object.metadata;
  if (!name) {
    throw badRequest(
      `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  const { entry, created } = await updateObject(write, {
    next: () => cloneJSON(object),
    uidIsCondition: true,
    createMissing: target.resource.strategy.createOnUpdate,
    retry: !object.metadata.resourceVersion,
  });
  return replyObject(context, target, entry, created ? 201 : 200);
}
