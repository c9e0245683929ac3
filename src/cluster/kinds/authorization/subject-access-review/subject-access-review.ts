import type { BuiltInKind } from "../../built-in-kind.ts";

export const subjectAccessReview: BuiltInKind = {
  resource: "subjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};
