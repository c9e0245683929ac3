import type { MetricSpec, MetricStatus } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { Sent } from "../../../contract/sent.ts";
import { ownAnnotations, readAnnotations, writeAnnotations } from "./annotations-of-v1.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";

/**
 * Version 1 has two metrics as fields: the CPU utilization that it aims at, and the current one. All else that version 2
 * knows it shows in annotations, so that a write in version 1 loses nothing.
 */
export function convert(object: HorizontalPodAutoscaler, apiVersion: string): HorizontalPodAutoscaler {
  const converted = toV2(object);
  return apiVersion.endsWith("/v1") ? toV1(converted) : converted;
}

function toV2(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { annotations = {} } = object.metadata;
  const own = withAnnotations(object, ownAnnotations(annotations));
  if (!object.apiVersion.endsWith("/v1")) return own;
  const { metrics = [], behavior, currentMetrics, conditions } = readAnnotations(annotations);
  const { targetCPUUtilizationPercentage: target, ...spec } = object.spec ?? {};
  const { currentCPUUtilizationPercentage: current, currentReplicas = 0, ...status } = object.status ?? {};
  const aims = [...metrics, ...(target === undefined ? [] : [cpuTarget(target)])];
  return {
    ...own,
    apiVersion: "autoscaling/v2",
    spec: { ...spec, metrics: aims.length > 0 ? aims : [cpuTarget(80)], ...(behavior && { behavior }) },
    status: {
      ...status,
      ...(currentReplicas !== 0 && { currentReplicas }),
      currentMetrics: currentMetrics ?? (current === undefined ? null : [currentCPU(current)]),
      ...(conditions && { conditions }),
    },
  };
}

function toV1(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { metrics = [], behavior, ...spec } = object.spec ?? {};
  const { currentMetrics, conditions, ...status } = object.status ?? {};
  const target = metrics.find(isCPUTarget)?.resource?.target?.averageUtilization;
  const current = currentMetrics?.findLast(isCurrentCPU)?.resource?.current?.averageUtilization;
  const others = metrics.filter((metric) => !isCPUTarget(metric));
  const written = writeAnnotations({ metrics: others, behavior, currentMetrics, conditions });
  return {
    ...withAnnotations(object, { ...object.metadata.annotations, ...written }),
    apiVersion: "autoscaling/v1",
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

/** A copy with these annotations; where there are none it has no map, unless the object had an empty one. */
export function withAnnotations<T extends Pick<HorizontalPodAutoscaler, "metadata">>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T {
  const { annotations: before, ...metadata } = object.metadata;
  const isAbsent = Object.keys(annotations).length === 0 && Object.keys(before ?? { none: "" }).length > 0;
  return { ...object, metadata: { ...metadata, ...(!isAbsent && { annotations }) } };
}

const cpuTarget = (averageUtilization: number): Sent<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const currentCPU = (averageUtilization: number): Sent<MetricStatus> => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

function isCPUTarget({ type, resource }: Sent<MetricSpec>): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization !== undefined;
}

function isCurrentCPU({ type, resource }: Sent<MetricStatus>): boolean {
  return (
    type === "Resource" && resource?.name === "cpu" && resource.current?.averageUtilization !== undefined
  );
}
