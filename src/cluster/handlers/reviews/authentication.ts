import type { TokenReviewSpec } from "@tsbuilder/apimachinery/k8s/authentication/v1";
import { authenticated, userInfo } from "../../contract/user.ts";
import type { Review } from "./review.ts";

/** SelfSubjectReview: `kubectl auth whoami`. */
export const selfSubject: Review = (_review, { user }) => ({ status: { userInfo: userInfo(user) } });

/** TokenReview: whose token this is. */
export const tokenReview: Review = (review, { core }) => {
  const spec = (review["spec"] ?? {}) as TokenReviewSpec;
  const wanted = spec.audiences?.length ? spec.audiences : [core.tokens.issuer];
  for (const audience of wanted) {
    const found = core.readToken(spec.token ?? "", audience);
    if (!found) continue;
    const audiences = wanted.filter((each) => found.audiences.includes(each));
    return { spec, status: { authenticated: true, user: userInfo(authenticated(found.user)), audiences } };
  }
  const error = "invalid bearer token";
  return { spec, status: { user: {}, ...(spec.token && { error }) } };
};
