import type { BuiltInKind } from "../../built-in-kind.ts";

export const serviceAccount: BuiltInKind = {
  resource: "serviceaccounts",
  strategy: { returnsDeleted: true },
  cells: {},
};
