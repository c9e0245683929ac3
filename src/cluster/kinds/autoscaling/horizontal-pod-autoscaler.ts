import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { BuiltInKind } from "../built-in-kind.ts";
import type { HorizontalPodAutoscaler } from "./annotations-of-v1.ts";
import {
  restoreAnnotations,
  withoutReservedAnnotations,
  readAnnotations,
  writeAnnotations,
} from "./annotations-of-v1.ts";
import { autoscalerProblems } from "./validate-autoscaler.ts";
import type { Sent } from "../../contract/sent.ts";
import { type ApiObject, replaceFields } from "../../contract/api-object.ts";
import type { CellReader } from "../../registry/resource.ts";
import { count, text } from "../cells.ts";

const cpuTarget = (averageUtilization: number): Sent<v2.MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const currentCPU = (averageUtilization: number): Sent<v2.MetricStatus> => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

const cells: Readonly<Record<string, CellReader>> = {
  Reference: (object) =>
    `${text("spec.scaleTargetRef.kind")(object)}/${text("spec.scaleTargetRef.name")(object)}`,
  Targets: targetsCell,
  MinPods: text("spec.minReplicas", "<unset>"),
  MaxPods: count("spec.maxReplicas"),
  Replicas: count("status.currentReplicas"),
};

export const horizontalPodAutoscaler: BuiltInKind = {
  resource: "horizontalpodautoscalers.autoscaling",
  strategy: {
    statusWritesMetadata: true,
    prepareForCreate: (object) => restoreAnnotations(object, undefined, "status"),
    prepareForUpdate(object, old, { subresource }) {
      restoreAnnotations(object, old, subresource === "status" ? "spec" : "status");
    },
    default: (object, { version }) => setDefaults(object, version),
    partialMetadata: (metadata) =>
      withAnnotations({ metadata }, withoutReservedAnnotations(metadata.annotations ?? {})).metadata,
    validate: (object) => [...autoscalerProblems(toV2Object(object))],
    validateUpdate: (object, old) => [...autoscalerProblems(toV2Object(object), toV2Object(old))],
  },
  cells,
  emptyObject: { spec: { scaleTargetRef: {} }, status: {} },
  convert(object, apiVersion) {
    const converted = convert(object, apiVersion);
    setBehaviorDefaults(converted);
    return converted;
  },
  zeroValues: (version) => ({
    spec: { maxReplicas: 0, scaleTargetRef: { kind: "", name: "" } },
    status: { desiredReplicas: 0, ...(version === "v1" ? { currentReplicas: 0 } : { currentMetrics: null }) },
  }),
};

/**
 * Version 1 has two metrics as fields: the CPU utilization that it aims at, and the current one. All else that version 2
 * knows it shows in annotations, so that a write in version 1 loses nothing.
 */
function convert(object: HorizontalPodAutoscaler, apiVersion: string): HorizontalPodAutoscaler {
  const converted = toV2(object);
  return apiVersion.endsWith("/v1") ? toV1(converted) : converted;
}

function toV2(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { annotations = {} } = object.metadata;
  const own = withAnnotations(object, withoutReservedAnnotations(annotations));
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
function withAnnotations<T extends Pick<HorizontalPodAutoscaler, "metadata">>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T {
  const { annotations: before, ...metadata } = object.metadata;
  const isAbsent = Object.keys(annotations).length === 0 && Object.keys(before ?? { none: "" }).length > 0;
  return { ...object, metadata: { ...metadata, ...(!isAbsent && { annotations }) } };
}

function isCPUTarget({ type, resource }: Sent<v2.MetricSpec>): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization !== undefined;
}

function isCurrentCPU({ type, resource }: Sent<v2.MetricStatus>): boolean {
  return (
    type === "Resource" && resource?.name === "cpu" && resource.current?.averageUtilization !== undefined
  );
}

/** A metric of a spec has a target, the one of a status the current value. */
type Source = Sent<{
  name: string;
  target: v2.MetricTarget;
  current: v2.MetricValueStatus;
}>;

type Metric = Sent<
  { type: string } & Record<"external" | "pods" | "object" | "resource" | "containerResource", Source>
>;

/** At most two metrics; what they measure comes from the status. */
function targetsCell(object: ApiObject): string {
  const { spec, status } = convert(object, "autoscaling/v2");
  const metrics = (spec?.metrics ?? []) as Metric[];
  const { currentMetrics } = (status ?? {}) as { currentMetrics?: Metric[] | null };
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).map((metric, index) => targetText(metric, currentMetrics?.[index]));
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : "";
  return `${shown.join(", ")}${more}`;
}

function targetText(metric: Metric, measured: Metric | undefined): string {
  const { external, pods, object: described, resource, containerResource } = metric;
  if (metric.type === "Resource") return resourceTargetText(resource!, measured?.resource);
  if (metric.type === "ContainerResource")
    return resourceTargetText(containerResource!, measured?.containerResource);
  if (metric.type === "Pods") return amountText(pods!, measured?.pods, "averageValue");
  const [source, current] =
    metric.type === "External" ? [external!, measured?.external] : [described!, measured?.object];
  if (source.target?.averageValue === undefined) return amountText(source, current, "value");
  return `${amountText(source, current, "averageValue")} (avg)`;
}

/** The measured value and the one that is aimed at. */
function amountText(source: Source, measured: Source | undefined, name: "value" | "averageValue"): string {
  return `${measured?.current?.[name] ?? "<unknown>"}/${source.target?.[name] ?? 0}`;
}

function resourceTargetText(source: Source, measured: Source | undefined): string {
  if (source.target?.averageValue !== undefined)
    return `${source.name}: ${amountText(source, measured, "averageValue")}`;
  const percent = (value: number | undefined, missing: string): string =>
    value === undefined ? missing : `${value}%`;
  const current = percent(measured?.current?.averageUtilization, "<unknown>");
  return `${source.name}: ${current}/${percent(source.target?.averageUtilization, "<auto>")}`;
}

const toV2Object = (object: HorizontalPodAutoscaler) => convert(object, "autoscaling/v2");

/** Version 1 has the defaults of a target, which depends on annotations, by its way through version 2. */
function setDefaults(object: HorizontalPodAutoscaler, version: string): void {
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

/**
 * Sets the defaults of a behavior, if there is one: it scales up by four pods or 100% without stabilization, and down without
 * a limit.
 */
function setBehaviorDefaults({ spec }: HorizontalPodAutoscaler): void {
  if (!spec?.behavior) return;
  const { scaleUp, scaleDown } = spec.behavior;
  const byPercent = { type: "Percent", value: 100, periodSeconds: 15 };
  const policies = [{ type: "Pods", value: 4, periodSeconds: 15 }, byPercent];
  spec.behavior = {
    scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...scaleUp },
    scaleDown: { selectPolicy: "Max", policies: [byPercent], ...scaleDown },
  };
}
