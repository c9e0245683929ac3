import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";

export const runtimeClass: BuiltInKind = {
  resource: "runtimeclasses.node.k8s.io",
  cells: { Handler: text("handler") },
};
