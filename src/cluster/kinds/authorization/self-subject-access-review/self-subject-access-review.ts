import type { BuiltInKind } from "../../built-in-kind.ts";

export const selfSubjectAccessReview: BuiltInKind = {
  resource: "selfsubjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};
