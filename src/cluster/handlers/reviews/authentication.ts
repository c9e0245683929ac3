import type { User } from "../../contract/user.ts";
import { authenticated } from "../../contract/user.ts";
import type { Review } from "./review.ts";

/** Who am I? `kubectl auth whoami`. */
export const selfSubject: Review = (_review, { user }) => ({ status: { userInfo: userInfo(user) } });

/** Whose token is this? */
export const tokenReview: Review = (review, { core }) => {
  const spec = (review["spec"] ?? {}) as { token?: string; audiences?: string[] };
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

function userInfo({ name, uid, groups, extra }: User) {
  return { username: name, ...(uid !== undefined && { uid }), groups, ...(extra && { extra }) };
}
