import type { MetricSpec } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";
import type { CellReader } from "../../../registry/table-columns.ts";
import { count, readField, text } from "../../cells/read-field.ts";

export const cells: Readonly<Record<string, CellReader>> = {
  Reference: (object) =>
    `${text("spec.scaleTargetRef.kind")(object)}/${text("spec.scaleTargetRef.name")(object)}`,
  Targets: targets,
  MinPods: text("spec.minReplicas", "<unset>"),
  MaxPods: count("spec.maxReplicas"),
  Replicas: count("status.currentReplicas"),
};

function targets(object: object): string {
  const metrics = readField<Sent<MetricSpec>[]>(object, "spec.metrics") ?? [];
  if (metrics.length === 0) return "<none>";
  return metrics
    .map(({ type, resource }) =>
      resource
        ? `${resource.name}: <unknown>/${resource.target?.averageUtilization ?? 0}%`
        : `<unknown>/${type}`,
    )
    .join(", ");
}
