import type { ApiObject } from "../../../contract/api-object.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";

type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>;

/** v1 has one metric, CPU utilization, as a field; v2 has a list of metrics. */
export function convert(object: HorizontalPodAutoscaler, apiVersion: string): ApiObject {
  const { spec = {} } = object;
  if (!apiVersion.endsWith("/v1")) return { ...object, apiVersion, spec: toV2(spec) };
  const { currentMetrics: _metrics, ...status } = (object["status"] ?? {}) as { currentMetrics?: unknown };
  return { ...object, apiVersion, spec: toV1(spec), status: { currentReplicas: 0, ...status } };
}

function toV1({ metrics = [], ...spec }: Spec): Spec {
  const cpu = metrics.find(
    ({ resource }) => resource?.name === "cpu" && resource.target?.averageUtilization !== undefined,
  );
  const percentage = cpu?.resource?.target?.averageUtilization;
  return { ...spec, ...(percentage !== undefined && { targetCPUUtilizationPercentage: percentage }) };
}

function toV2({ targetCPUUtilizationPercentage: percentage, ...spec }: Spec): Spec {
  if (percentage === undefined) return spec;
  const target = { type: "Utilization", averageUtilization: percentage };
  return { ...spec, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] };
}
