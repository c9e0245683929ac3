import type { HorizontalPodAutoscalerBehavior } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";

export function setDefaults(object: HorizontalPodAutoscaler, version: string): void {
  const { spec } = object;
  if (spec) {
    spec.minReplicas ??= 1;
    const target = { type: "Utilization", averageUtilization: 80 };
    if (version === "v2") spec.metrics ??= [{ type: "Resource", resource: { name: "cpu", target } }];
    else spec.targetCPUUtilizationPercentage ??= 80;
    if (spec.behavior) spec.behavior = defaultBehavior(spec.behavior);
  }
  const status =
    version === "v2"
      ? { desiredReplicas: 0, currentMetrics: null }
      : { currentReplicas: 0, desiredReplicas: 0 };
  object["status"] = { ...status, ...(object["status"] as object) };
}

/**
 * If a behavior is set, its missing fields are defaulted: scale up by four pods or 100% without
 * stabilization, scale down without a limit.
 */
function defaultBehavior({
  scaleUp,
  scaleDown,
}: Sent<HorizontalPodAutoscalerBehavior>): Sent<HorizontalPodAutoscalerBehavior> {
  const byPercent = { type: "Percent", value: 100, periodSeconds: 15 };
  const policies = [{ type: "Pods", value: 4, periodSeconds: 15 }, byPercent];
  return {
    scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...scaleUp },
    scaleDown: { selectPolicy: "Max", policies: [byPercent], ...scaleDown },
  };
}
