import type { BuiltInKind } from "../../built-in-kind.ts";

export const tokenReview: BuiltInKind = {
  resource: "tokenreviews.authentication.k8s.io",
  emptyObject: { spec: {}, status: { user: {} } },
};
