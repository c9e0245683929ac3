import { createObject } from "../registry/create-object.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { readObject } from "./read-object.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { writeOf } from "./write-options.ts";

/** Handles POST: creates an object. */
export async function handleCreate(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "CreateOptions");
  const object = await readObject(context, target, "CreateOptions");
  return replyObject(context, target, await createObject(write, object), 201);
}
