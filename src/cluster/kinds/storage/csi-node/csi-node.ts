import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";

export const csiNode: BuiltInKind = {
  resource: "csinodes.storage.k8s.io",
  cells: { Drivers: size("spec.drivers") },
  emptyObject: { spec: { drivers: null } },
};
