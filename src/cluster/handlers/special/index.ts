// Endpoints whose body is not the stored object: scale, binding, eviction, tokens, and the reviews that are answered
// without being stored. The tables below name the handler of each.

import { badRequest, notFound, qualifiedName } from "../../contract/status-error.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";
import { localSubjectAccess, selfSubjectAccess, selfSubjectRules, subjectAccess } from "./access-reviews.ts";
import { type Review, handleReview, selfSubject, tokenReview } from "./reviews.ts";
import type { Target } from "../target.ts";
import { handleBinding, handleLegacyBinding } from "./binding.ts";
import { handleEviction } from "./eviction.ts";
import { handleScale } from "./scale.ts";
import { handleToken } from "./token.ts";
import { keyOf } from "../../registry/resource.ts";

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

/** Subresources with one handler for all kinds. */
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

/** The ends of messages for subresources that need running containers. */
const missing: Readonly<Record<string, string>> = {
  log: "has no logs",
  exec: "can't run commands",
  attach: "has no process to attach to",
  portforward: "has no ports to forward",
  proxy: "can't be connected to",
};

/** Explains to `kubectl logs`, `exec`, `cp`, `attach`, `port-forward` and `proxy` why there is no container. */
async function handleWithoutContainers(_: RequestContext, target: Target): Promise<Reply> {
  const { resource, namespace, name, subresource } = target;
  if (!resource.collection.get(keyOf(resource, namespace, name))) throw notFound(resource, name);
  const what = `${resource.singular} ${JSON.stringify(name)} ${missing[subresource]!}`;
  throw badRequest(
    `containers don't run in the embedded cluster, so ${what}: use a cluster with nodes, such as kind`,
  );
}
