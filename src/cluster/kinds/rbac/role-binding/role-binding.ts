import type { BuiltInKind } from "../../built-in-kind.ts";
import { binding } from "../binding-cells.ts";
import { bindingStrategy } from "../strategies.ts";

export const roleBinding: BuiltInKind = {
  resource: "rolebindings.rbac.authorization.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: bindingStrategy,
  cells: binding,
  emptyObject: { roleRef: {} },
  zeroValues: { roleRef: { apiGroup: "", kind: "", name: "" } },
};
