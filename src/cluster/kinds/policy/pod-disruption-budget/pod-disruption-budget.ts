import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, text } from "../../cells/read-field.ts";
import { disruptionBudgetStrategy } from "./strategy.ts";
import { disruptionController } from "./controller/disruption-controller.ts";

export const podDisruptionBudget: BuiltInKind<"disruption"> = {
  resource: "poddisruptionbudgets.policy",
  metadataChecks: "none/none/none",
  strategy: { ...disruptionBudgetStrategy, statusWritesMetadata: true },
  cells: {
    "Min Available": text("spec.minAvailable", "N/A"),
    "Max Unavailable": text("spec.maxUnavailable", "N/A"),
    "Allowed Disruptions": count("status.disruptionsAllowed"),
  },
  emptyObject: { spec: {}, status: {} },
  controllers: { disruption: disruptionController },
  zeroValues: { status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 } },
};
