import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";

export const resourceSlice: BuiltInKind = {
  resource: "resourceslices.resource.k8s.io",
  cells: { Node: text("spec.nodeName"), Driver: text("spec.driver"), Pool: text("spec.pool.name") },
  emptyObject: { spec: { pool: {} } },
};
