import type { BuiltInKind } from "../../built-in-kind.ts";

export const deviceClass: BuiltInKind = {
  resource: "deviceclasses.resource.k8s.io",
  emptyObject: { spec: {} },
};
