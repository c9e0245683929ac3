import { formatTime } from "@tsbuilder/apimachinery/time";
import type { TokenReviewSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import { type User, authenticated, userInfo } from "../../contract/user.ts";
import type { Core } from "../../registry/core.ts";
import { setNamespace } from "../../registry/create-object.ts";
import { removeDuplicateOwners, removeSystemMetadata } from "../../registry/object-meta.ts";
import { trackManagers } from "../../registry/field-manager.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { Entry } from "../../storage/entry.ts";
import { readObject } from "../read-object.ts";
import { replyObject } from "../representation.ts";
import { type Target, writeOf } from "../target.ts";
import { badRequest } from "../../contract/status-error.ts";

/** Returns the spec and status of the response to a review. Reviews are not stored. */
export type Review = (
  review: ApiObject,
  asked: { readonly core: Core; readonly user: User },
) => Record<string, unknown>;

/** Reviews whose response does not have the metadata of the request, by kind. */
const answeredAnew: Readonly<Record<string, (now: number) => ApiObject["metadata"]>> = {
  SelfSubjectReview: (now) => ({ creationTimestamp: formatTime(now) }),
  SelfSubjectRulesReview: () => ({}),
};

export async function handleReview(context: RequestContext, target: Target, review: Review): Promise<Reply> {
  const object = await readObject(context, target, "CreateOptions");
  const write = writeOf(context, target, "CreateOptions");
  removeDuplicateOwners(write, object, "client");
  removeSystemMetadata(object);
  delete object.metadata.uid;
  delete object.metadata.creationTimestamp;
  setNamespace(target, object);
  const { core } = target;
  await target.resource.load?.();
  target.resource.strategy.default?.(object, write);
  const tracked = await trackManagers(write, undefined, object);
  const filled = review(tracked, { core, user: context.user });
  const answered = answeredAnew[object.kind];
  const metadata = answered ? answered(core.clock.now()) : tracked.metadata;
  const answer = { kind: object.kind, apiVersion: object.apiVersion, metadata, ...filled };
  return replyObject(context, target, new Entry("", 0, answer), 201);
}

/** SelfSubjectReview: `kubectl auth whoami`. */
export const selfSubject: Review = (_review, { user }) => ({ status: { userInfo: userInfo(user) } });

/** TokenReview: returns the user of a token. */
export const tokenReview: Review = (review, { core }) => {
  const spec = (review["spec"] ?? {}) as TokenReviewSpec;
  if (!spec.token) throw badRequest("token is required for TokenReview in authentication");
  const wanted = spec.audiences?.length ? spec.audiences : [core.tokens.issuer];
  for (const audience of wanted) {
    const found = core.readToken(spec.token, audience);
    if (!found) continue;
    const audiences = wanted.filter((each) => found.audiences.includes(each));
    return { spec, status: { authenticated: true, user: userInfo(authenticated(found.user)), audiences } };
  }
  return { spec, status: { user: {}, error: "invalid bearer token" } };
};
