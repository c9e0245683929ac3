import type { Reply, RequestContext } from "../http/request-context.ts";
import { keyOf } from "../registry/resource.ts";
import { notFound } from "../contract/status-error.ts";
import type { Entry } from "../storage/entry.ts";
import { listRevision, malformedListRevision, malformedRevision } from "./list-revision.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";

/** Handles GET of one object. */
export async function handleGet(context: RequestContext, target: Target): Promise<Reply> {
  return replyObject(context, target, await readEntry(context, target));
}

/** The object that a GET asks for, if the server has reached the requested revision. */
export async function readEntry(context: RequestContext, target: Target): Promise<Entry> {
  const { resource, version, namespace, name } = target;
  const asked = context.query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(asked)) {
    // Events are in no cache of the real server; its storage reports the revision like that of a list.
    throw resource.plural === "events" ? malformedListRevision(asked) : malformedRevision(asked);
  }
  listRevision({ resourceVersion: asked }, target.core.store.revision);
  const stored = resource.collection.get(keyOf(resource, namespace, name));
  if (!stored) throw notFound(resource, name);
  return resource.present(stored, version);
}
