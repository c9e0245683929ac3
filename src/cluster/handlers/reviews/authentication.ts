import type { TokenReviewSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import { badRequest } from "../../contract/status-error.ts";
import { authenticated, userInfo } from "../../contract/user.ts";
import type { Review } from "./review.ts";

/** SelfSubjectReview: `kubectl auth whoami`. */
export const selfSubject: Review = (_review, { user }) => ({ status: { userInfo: userInfo(user) } });

/** TokenReview: whose token this is. */
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
