import { createObject } from "../registry/create-object.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { readObject } from "./read-object.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { writeOf } from "./write-options.ts";

/** Handles POST: creates an object. */
export async function handleCreate(context: RequestContext, target: Target): Promise<Reply> {
  // A name in the path, which custom kinds allow, means nothing.
  const collection = { ...target, name: "" };
  const write = writeOf(context, collection, "CreateOptions");
  const object = await readObject(context, collection, "CreateOptions");
  return replyObject(context, collection, await createObject(write, object), 201);
}
