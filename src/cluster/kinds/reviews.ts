import type { BuiltInKind } from "./built-in-kind.ts";

const accessReview = { spec: {}, status: { allowed: false } };

/** The kinds of reviews, which are answered and not stored. */
export const reviews: readonly BuiltInKind[] = [
  { resource: "selfsubjectreviews.authentication.k8s.io", emptyObject: { status: { userInfo: {} } } },
  { resource: "tokenreviews.authentication.k8s.io", emptyObject: { spec: {}, status: { user: {} } } },
  { resource: "localsubjectaccessreviews.authorization.k8s.io", emptyObject: accessReview },
  { resource: "selfsubjectaccessreviews.authorization.k8s.io", emptyObject: accessReview },
  { resource: "selfsubjectrulesreviews.authorization.k8s.io", emptyObject: { spec: {} } },
  { resource: "subjectaccessreviews.authorization.k8s.io", emptyObject: accessReview },
];
