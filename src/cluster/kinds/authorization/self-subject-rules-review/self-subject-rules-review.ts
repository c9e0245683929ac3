import type { BuiltInKind } from "../../built-in-kind.ts";

export const selfSubjectRulesReview: BuiltInKind = {
  resource: "selfsubjectrulesreviews.authorization.k8s.io",
  emptyObject: { spec: {} },
};
