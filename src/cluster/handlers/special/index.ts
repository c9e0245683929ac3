import { qualifiedName } from "../../contract/status-error.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { localSubjectAccess, selfSubjectAccess, selfSubjectRules, subjectAccess } from "../reviews/access.ts";
import { selfSubject, tokenReview } from "../reviews/authentication.ts";
import { handleReview, type Review } from "../reviews/review.ts";
import type { Target } from "../target.ts";
import { handleBinding, handleLegacyBinding } from "./binding.ts";
import { handleEviction } from "./eviction.ts";
import { handleScale } from "./scale.ts";
import { handleToken } from "./token.ts";
import { handleWithoutContainers } from "./without-containers.ts";

type SpecialHandler = (context: RequestContext, target: Target) => Promise<Reply>;

/** Endpoints whose body is not the stored object. */
const endpoints: Readonly<Record<string, SpecialHandler>> = {
  bindings: handleLegacyBinding,
  "pods/binding": handleBinding,
  "pods/eviction": handleEviction,
  "serviceaccounts/token": handleToken,
  "tokenreviews.authentication.k8s.io": review(tokenReview),
  "selfsubjectreviews.authentication.k8s.io": review(selfSubject),
  "selfsubjectaccessreviews.authorization.k8s.io": review(selfSubjectAccess),
  "subjectaccessreviews.authorization.k8s.io": review(subjectAccess),
  "localsubjectaccessreviews.authorization.k8s.io": review(localSubjectAccess),
  "selfsubjectrulesreviews.authorization.k8s.io": review(selfSubjectRules),
};

/** Subresources that are handled alike for all kinds. */
const ofAnyKind: Readonly<Record<string, SpecialHandler>> = {
  scale: handleScale,
  attach: handleWithoutContainers,
  exec: handleWithoutContainers,
  log: handleWithoutContainers,
  portforward: handleWithoutContainers,
  proxy: handleWithoutContainers,
};

/** The handler of an endpoint whose body is not the stored object; undefined for all other endpoints. */
export function specialHandler({ resource, subresource }: Target): SpecialHandler | undefined {
  const name = qualifiedName(resource);
  return ofAnyKind[subresource] ?? endpoints[subresource === "" ? name : `${name}/${subresource}`];
}

function review(answer: Review): SpecialHandler {
  return (context, target) => handleReview(context, target, answer);
}
