import type { MetricTarget, MetricValueStatus } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { CellReader } from "../../../registry/table-columns.ts";
import { count, text } from "../../cells/read-field.ts";
import { convert } from "./convert.ts";

export const cells: Readonly<Record<string, CellReader>> = {
  Reference: (object) =>
    `${text("spec.scaleTargetRef.kind")(object)}/${text("spec.scaleTargetRef.name")(object)}`,
  Targets: targets,
  MinPods: text("spec.minReplicas", "<unset>"),
  MaxPods: count("spec.maxReplicas"),
  Replicas: count("status.currentReplicas"),
};

/** At most two metrics; what they measure comes from the status. */
function targets(object: ApiObject): string {
  const { spec, status } = convert(object, "autoscaling/v2");
  const metrics = (spec?.metrics ?? []) as Metric[];
  const { currentMetrics } = (status ?? {}) as { currentMetrics?: Metric[] | null };
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).map((metric, index) => targetOf(metric, currentMetrics?.[index]));
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : "";
  return `${shown.join(", ")}${more}`;
}

function targetOf(metric: Metric, measured: Metric | undefined): string {
  const { external, pods, object: described, resource, containerResource } = metric;
  if (metric.type === "Resource") return ofResource(resource!, measured?.resource);
  if (metric.type === "ContainerResource") return ofResource(containerResource!, measured?.containerResource);
  if (metric.type === "Pods") return amount(pods!, measured?.pods, "averageValue");
  const [source, current] =
    metric.type === "External" ? [external!, measured?.external] : [described!, measured?.object];
  if (source.target?.averageValue === undefined) return amount(source, current, "value");
  return `${amount(source, current, "averageValue")} (avg)`;
}

/** The measured value and the one that is aimed at. */
function amount(source: Source, measured: Source | undefined, name: "value" | "averageValue"): string {
  return `${measured?.current?.[name] ?? "<unknown>"}/${source.target?.[name] ?? 0}`;
}

function ofResource(source: Source, measured: Source | undefined): string {
  if (source.target?.averageValue !== undefined)
    return `${source.name}: ${amount(source, measured, "averageValue")}`;
  const percent = (value: number | undefined, missing: string): string =>
    value === undefined ? missing : `${value}%`;
  const current = percent(measured?.current?.averageUtilization, "<unknown>");
  return `${source.name}: ${current}/${percent(source.target?.averageUtilization, "<auto>")}`;
}

/** A metric of a spec has a target, the one of a status the current value. */
type Source = Sent<{ name: string; target: MetricTarget; current: MetricValueStatus }>;

type Metric = Sent<
  { type: string } & Record<"external" | "pods" | "object" | "resource" | "containerResource", Source>
>;
