import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField } from "../../cells/read-field.ts";
import { emptyStatusStrategy } from "../../empty-status.ts";

export const serviceCIDR: BuiltInKind = {
  resource: "servicecidrs.networking.k8s.io",
  strategy: emptyStatusStrategy,
  cells: { CIDRs: (object) => (readField<string[]>(object, "spec.cidrs") ?? []).join(",") },
  emptyObject: { spec: {}, status: {} },
};
