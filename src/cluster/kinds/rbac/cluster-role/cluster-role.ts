import type { BuiltInKind } from "../../built-in-kind.ts";
import { noRules, roleStrategy } from "../strategies.ts";

export const clusterRole: BuiltInKind = {
  resource: "clusterroles.rbac.authorization.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: roleStrategy,
  emptyObject: noRules,
};
