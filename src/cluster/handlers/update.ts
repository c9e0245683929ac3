import { removeDuplicateOwners } from "../registry/owner-references.ts";
import { checkPlace, updateObject } from "../registry/update-object.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { nameMissing } from "../contract/status-error.ts";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import { readObject } from "./read-object.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { writeOf } from "./write-options.ts";

/** Handles PUT: replaces an object, or creates it if its kind allows that. */
export async function handleUpdate(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "UpdateOptions");
  const object = await readObject(context, target, "UpdateOptions");
  if (!object.metadata.name) throw nameMissing(target.name);
  checkPlace(write, object);
  removeDuplicateOwners(write, object, "client");
  const { entry, created } = await updateObject(write, {
    next: () => copyJSON(object),
    uidIsCondition: true,
    createMissing: target.resource.strategy.createOnUpdate,
    retry: !object.metadata.resourceVersion,
  });
  return replyObject(context, target, entry, created ? 201 : 200);
}
