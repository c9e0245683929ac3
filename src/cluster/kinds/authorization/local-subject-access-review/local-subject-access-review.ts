import type { BuiltInKind } from "../../built-in-kind.ts";

export const localSubjectAccessReview: BuiltInKind = {
  resource: "localsubjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};
