import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";

export const ipAddress: BuiltInKind = {
  resource: "ipaddresses.networking.k8s.io",
  strategy: { generateName: false },
  cells: {
    ParentRef: (object) =>
      `${text("spec.parentRef.resource")(object)}/${text("spec.parentRef.namespace")(object)}/${text("spec.parentRef.name")(object)}`,
  },
};
