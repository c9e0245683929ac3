import type { User } from "../../contract/user.ts";
import type { Core } from "../../registry/core.ts";
import { trackManagers } from "../../registry/field-manager.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { Entry } from "../../storage/entry.ts";
import { readObject } from "../read-object.ts";
import { replyObject } from "../reply-object.ts";
import type { Target } from "../target.ts";
import { writeOf } from "../write-options.ts";

/** Returns the fields to set in a review, which is answered but not stored. */
export type Review = (
  review: ApiObject,
  asked: { readonly core: Core; readonly user: User; readonly namespace: string },
) => Record<string, unknown>;

/** Answers a review. */
export async function handleReview(context: RequestContext, target: Target, review: Review): Promise<Reply> {
  const object = await readObject(context, target, "CreateOptions");
  const { core, namespace } = target;
  const write = writeOf(context, target, "CreateOptions");
  await target.resource.load?.();
  target.resource.strategy.default?.(object, write);
  const filled = review(object, { core, user: context.user, namespace });
  const tracked = await trackManagers(write, undefined, object);
  // Only this kind of review has a creation timestamp.
  const dated = object.kind === "SelfSubjectReview" && { creationTimestamp: formatTime(core.clock.now()) };
  const placed = target.resource.namespaced && { namespace };
  // The server answers a list of rules without the fields that it was sent.
  const metadata =
    object.kind === "SelfSubjectRulesReview" ? {} : { ...tracked.metadata, ...placed, ...dated };
  const answer = { kind: object.kind, apiVersion: object.apiVersion, metadata, ...filled };
  return replyObject(context, target, new Entry("", 0, answer), 201);
}
