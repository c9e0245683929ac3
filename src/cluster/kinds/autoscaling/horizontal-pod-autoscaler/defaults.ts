import type { HorizontalPodAutoscalerBehavior } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";
import { replaceFields } from "../../../contract/api-object.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";
import { convert } from "./convert.ts";

/** Version 1 has the defaults of a target, which depends on annotations, by its way through version 2. */
export function setDefaults(object: HorizontalPodAutoscaler, version: string): void {
  const { spec } = object;
  if (spec) {
    spec.minReplicas ??= 1;
    const target = { type: "Utilization", averageUtilization: 80 };
    if (version === "v2") spec.metrics ??= [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const status = version === "v2" ? { desiredReplicas: 0, currentMetrics: null } : { desiredReplicas: 0 };
  object["status"] = { ...status, ...(object["status"] as object) };
  replaceFields(object, convert(object, object.apiVersion));
  setBehaviorDefaults(object);
}

/** If a behavior is set, its missing fields are defaulted. */
export function setBehaviorDefaults({ spec }: HorizontalPodAutoscaler): void {
  if (spec?.behavior) spec.behavior = defaultBehavior(spec.behavior);
}

/** Scales up by four pods or 100% without stabilization, and down without a limit. */
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
