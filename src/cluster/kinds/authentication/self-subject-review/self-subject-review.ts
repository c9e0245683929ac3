import type { BuiltInKind } from "../../built-in-kind.ts";

export const selfSubjectReview: BuiltInKind = {
  resource: "selfsubjectreviews.authentication.k8s.io",
  emptyObject: { status: { userInfo: {} } },
};
