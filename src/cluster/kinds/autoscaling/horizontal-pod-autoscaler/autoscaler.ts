import type { ApiObject } from "../../../contract/api-object.ts";
import type { HorizontalPodAutoscalerSpec } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";

/** The object in either version: v1 has a field for its only metric. */
export type HorizontalPodAutoscaler = ApiObject & {
  spec?: Sent<HorizontalPodAutoscalerSpec> & { targetCPUUtilizationPercentage?: number };
};
