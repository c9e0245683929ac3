import type { BuiltInKind } from "./built-in-kind.ts";

export const selfSubjectReview: BuiltInKind = {
  resource: "selfsubjectreviews.authentication.k8s.io",
  emptyObject: { status: { userInfo: {} } },
};

export const tokenReview: BuiltInKind = {
  resource: "tokenreviews.authentication.k8s.io",
  emptyObject: { spec: {}, status: { user: {} } },
};

export const localSubjectAccessReview: BuiltInKind = {
  resource: "localsubjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};

export const selfSubjectAccessReview: BuiltInKind = {
  resource: "selfsubjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};

export const selfSubjectRulesReview: BuiltInKind = {
  resource: "selfsubjectrulesreviews.authorization.k8s.io",
  emptyObject: { spec: {} },
};

export const subjectAccessReview: BuiltInKind = {
  resource: "subjectaccessreviews.authorization.k8s.io",
  emptyObject: { spec: {}, status: { allowed: false } },
};
