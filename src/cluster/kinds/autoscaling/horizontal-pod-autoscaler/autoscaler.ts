import type {
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricStatus,
} from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";

/** What version 1 has no fields for. Version 2 writes the list of current metrics even if there is none. */
export interface OtherFields {
  readonly metrics?: readonly Sent<MetricSpec>[] | undefined;
  readonly behavior?: Sent<HorizontalPodAutoscalerSpec>["behavior"] | undefined;
  readonly currentMetrics?: readonly Sent<MetricStatus>[] | null | undefined;
  readonly conditions?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

/** The object in either version: v1 has a field for one metric. */
export type HorizontalPodAutoscaler = ApiObject & {
  spec?: Sent<HorizontalPodAutoscalerSpec> & { targetCPUUtilizationPercentage?: number };
  status?: Pick<OtherFields, "currentMetrics" | "conditions"> & {
    currentReplicas?: number;
    currentCPUUtilizationPercentage?: number;
  };
};
