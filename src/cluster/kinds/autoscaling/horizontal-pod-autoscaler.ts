import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { BuiltInKind } from "../built-in-kind.ts";
import { type ApiObject, type Sent, replaceFields } from "../../contract/api-object.ts";
import { isFeatureOn, servesSince, untilDeclared } from "../../contract/version.ts";
import type { CellReader } from "../../registry/resource.ts";
import { count, text } from "../cells.ts";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import type { Problems } from "../checks/problems.ts";
import { nonNegative, optionalChoice, needed, positive, refused, itemsOf, each } from "../checks/problems.ts";
import { containerResourceNameProblems } from "../core/resources.ts";
import {
  type HorizontalPodAutoscaler,
  convertVersion,
  restoreAnnotations,
  withAnnotations,
  withoutReservedAnnotations,
} from "./conversion.ts";
import { checkPathSegment } from "../checks/names.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler-controller.ts";

const cells: Readonly<Record<string, CellReader>> = {
  Reference: (object) =>
    `${text("spec.scaleTargetRef.kind")(object)}/${text("spec.scaleTargetRef.name")(object)}`,
  Targets: targetsCell,
  MinPods: text("spec.minReplicas", "<unset>"),
  MaxPods: count("spec.maxReplicas"),
  Replicas: count("status.currentReplicas"),
};

export const horizontalPodAutoscaler: BuiltInKind<"horizontalpodautoscaling"> = {
  resource: "horizontalpodautoscalers.autoscaling",
  controllers: { horizontalpodautoscaling: horizontalPodAutoscalerController },
  strategy: {
    statusWritesMetadata: true,
    prepareForCreate: (object) => restoreAnnotations(object, undefined, "status"),
    prepareForUpdate(object, old, { subresource }) {
      restoreAnnotations(object, old, subresource === "status" ? "spec" : "status");
    },
    default: (object, { version }) => setDefaults(object, version),
    partialMetadata: (metadata) =>
      withAnnotations({ metadata }, withoutReservedAnnotations(metadata.annotations ?? {})).metadata,
    validate: (object) => [...specProblems(toV2Object(object))],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(toV2Object(object))]
        : [...specProblems(toV2Object(object), toV2Object(old))],
  },
  cells,
  convert(object, apiVersion) {
    const converted = convertVersion(object, apiVersion);
    setBehaviorDefaults(converted);
    return converted;
  },
};

/** A metric of a spec has a target, the one of a status the current value. */
type MetricSource = Sent<{
  name: string;
  target: v2.MetricTarget;
  current: v2.MetricValueStatus;
}>;

type Metric = Sent<
  { type: string } & Record<"external" | "pods" | "object" | "resource" | "containerResource", MetricSource>
>;

/** Shows at most two metrics, each with the measured value of the status and the target of the spec. */
function targetsCell(object: ApiObject): string {
  const { spec, status } = convertVersion(object, "autoscaling/v2");
  const metrics = (spec?.metrics ?? []) as Metric[];
  const { currentMetrics } = (status ?? {}) as { currentMetrics?: Metric[] | null };
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).map((metric, index) => targetText(metric, currentMetrics?.[index]));
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : "";
  return `${shown.join(", ")}${more}`;
}

/** The measured value and the target, such as `50m/100m` or `cpu: 40%/80%`. */
function targetText(metric: Metric, measured: Metric | undefined): string {
  const field = sourceFields[metric.type as MetricType];
  const { target, name } = metric[field]!;
  const current = measured?.[field]?.current;
  const isAverage = field === "pods" || target?.averageValue !== undefined;
  const value = isAverage ? "averageValue" : "value";
  const amount = `${current?.[value] ?? "<unknown>"}/${target?.[value] ?? 0}`;
  if (field === "pods") return amount;
  if (field === "object" || field === "external") return isAverage ? `${amount} (avg)` : amount;
  const percent = (share: number | undefined, missing: string): string =>
    share === undefined ? missing : `${share}%`;
  const shares = `${percent(current?.averageUtilization, "<unknown>")}/${percent(target?.averageUtilization, "<auto>")}`;
  return `${name}: ${isAverage ? amount : shares}`;
}

const toV2Object = (object: HorizontalPodAutoscaler) => convertVersion(object, "autoscaling/v2");

/** Sets the defaults. An object of version 1 gets its target by a conversion to version 2 and back. */
function setDefaults(object: HorizontalPodAutoscaler, version: string): void {
  const { spec } = object;
  if (spec) {
    spec.minReplicas ??= 1;
    const target = { type: "Utilization", averageUtilization: 80 };
    if (version === "v2") spec.metrics ??= [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const status = version === "v2" ? { desiredReplicas: 0, currentMetrics: null } : { desiredReplicas: 0 };
  object["status"] = { ...status, ...(object["status"] as object) };
  replaceFields(object, convertVersion(object, object.apiVersion));
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

/** Validates a status: only its numbers. */
function* statusProblems({ status = {} }: HorizontalPodAutoscaler): Problems {
  for (const [at, { observedGeneration }] of itemsOf("status.conditions", status.conditions))
    yield* nonNegative(`${at}.observedGeneration`, observedGeneration);
  for (const field of ["currentReplicas", "desiredReplicas"] as const)
    yield* nonNegative(`status.${field}`, status[field]);
}

/** Validates an autoscaler. An update may keep references whose apiVersion is invalid. */
function* specProblems({ spec = {} }: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): Problems {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {}, metrics = [], behavior = {} } = spec;
  const before = old?.spec;
  const lowest = before?.minReplicas === 0 || isFeatureOn("HPAScaleToZero") ? 0 : 1;
  if (minReplicas < lowest)
    yield invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`);
  if (maxReplicas < 1 && !servesSince("1.36"))
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than 0");
  else if (maxReplicas === 0)
    yield required("spec.maxReplicas", untilDeclared("must be set and greater than 0"));
  else if (maxReplicas < 1)
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas)
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  const { apiVersion, kind } = before?.scaleTargetRef ?? {};
  const isKept = before && apiVersion === scaleTargetRef.apiVersion && kind === scaleTargetRef.kind;
  const reasons = isKept ? [] : checkTargetVersion(scaleTargetRef);
  yield* referenceProblems("spec.scaleTargetRef", scaleTargetRef, reasons);
  const keepsVersions = (before?.metrics ?? []).some(hasInvalidVersion);
  yield* each("spec.metrics", metrics, (at, metric) => metricProblems(at, metric, keepsVersions));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield forbidden("spec.metrics", rule);
  }
  yield* scalingProblems("spec.behavior.scaleUp", behavior.scaleUp);
  yield* scalingProblems("spec.behavior.scaleDown", behavior.scaleDown);
}

type TargetReference = Sent<v2.CrossVersionObjectReference>;

/** Validates a reference to an object of any kind; `reasons` are the errors of its apiVersion. */
function* referenceProblems(field: string, reference: TargetReference, reasons: readonly string[]): Problems {
  yield* needed(`${field}.kind`, reference.kind, checkPathSegment);
  yield* needed(`${field}.name`, reference.name, checkPathSegment);
  yield* refused(`${field}.apiVersion`, reference.apiVersion ?? "", reasons);
}

/** Returns why the apiVersion of a scale target is invalid: only a ReplicationController has no API group. */
function checkTargetVersion({ apiVersion = "", kind }: TargetReference): string[] {
  if (apiVersion.includes("/") || kind === "ReplicationController") return checkVersion({ apiVersion });
  return ["apiVersion must specify API group"];
}

/** Returns why an apiVersion is invalid; unlike a scale target, a described object may be in the core group. */
function checkVersion({ apiVersion = "" }: TargetReference): string[] {
  return apiVersion.split("/").length > 2 ? [`unexpected GroupVersion string: ${apiVersion}`] : [];
}

/** The field that holds the source of each metric type, in the order in which the server looks for sources. */
const sourceFields = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;

type MetricType = keyof typeof sourceFields;
type SentMetric = Sent<v2.MetricSpec>;

const metricTypes = Object.keys(sourceFields).toSorted();

/** Validates a metric; an update may keep invalid versions of described objects. */
function* metricProblems(field: string, metric: SentMetric, keepsVersions: boolean): Problems {
  const { type = "" } = metric;
  if (type === "") yield required(`${field}.type`, "must specify a metric source type");
  const isKnown = Object.hasOwn(sourceFields, type);
  if (!isKnown) yield notSupported(`${field}.type`, type, metricTypes);
  const present = Object.values(sourceFields).filter((name) => metric[name]);
  // Only the first source is validated.
  const [first] = present;
  if (first) yield* sourceProblems(`${field}.${first}`, metric[first]!, aims[first], keepsVersions);
  const own = isKnown ? sourceFields[type as MetricType] : undefined;
  if (own === undefined) yield notSupported(`${field}.type`, type, metricTypes);
  else if (!metric[own]) {
    yield required(`${field}.${own}`, "must populate information for the given metric source");
  }
  for (const other of present.length > 1 ? present.filter((name) => name !== own) : [])
    yield forbidden(`${field}.${other}`, "must populate the given metric source only");
}

/** The fields of a target that a source may aim at; the messages if it has none of them, and if it has both. */
interface Aims {
  readonly fields: readonly ("value" | "averageValue" | "averageUtilization")[];
  readonly none: string;
  readonly both?: string;
}

const resourceAims: Aims = {
  fields: ["averageUtilization", "averageValue"],
  none: "must set either a target raw value or a target utilization",
  both: "may not set both a target raw value and a target utilization",
};
const aims: Readonly<Record<(typeof sourceFields)[MetricType], Aims>> = {
  object: { fields: ["averageValue", "value"], none: "must set either a target value or averageValue" },
  external: {
    fields: ["averageValue", "value"],
    none: "must set either a target value for metric or a per-pod target",
    both: "may not set both a target value for metric and a per-pod target",
  },
  pods: { fields: ["averageValue"], none: "must specify a positive target averageValue" },
  resource: resourceAims,
  containerResource: resourceAims,
};

function* sourceProblems(
  field: string,
  source: Partial<Sent<v2.ObjectMetricSource & v2.ContainerResourceMetricSource>>,
  { fields, none, both }: Aims,
  keepsVersions: boolean,
): Problems {
  const { describedObject = {}, metric, name, container, target = {} } = source;
  if (field.endsWith(".object")) {
    const reasons = keepsVersions ? [] : checkVersion(describedObject);
    yield* referenceProblems(`${field}.describedObject`, describedObject, reasons);
  }
  const isContainer = field.endsWith(".containerResource");
  if (fields[0] === "averageValue") yield* metricNameProblems(`${field}.metric`, metric);
  else if (!name) yield required(`${field}.name`, "must specify a resource name");
  else if (isContainer) yield* containerResourceNameProblems(`${field}.name`, name);
  if (isContainer && !container) yield required(`${field}.container`, "must specify a container");
  else if (isContainer) yield* refused(`${field}.container`, container!, checkLabel(container!));
  yield* targetProblems(`${field}.target`, target);
  const present = fields.filter((each) => target[each] !== undefined);
  if (present.length === 0) yield required(`${field}.target.${fields[0]}`, none);
  if (present.length === 2 && both) yield forbidden(`${field}.target.${fields[1]}`, both);
}

function* targetProblems(field: string, target: Sent<v2.MetricTarget>): Problems {
  const { type = "", averageUtilization } = target;
  if (type === "") yield required(`${field}.type`, "must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    yield invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue");
  for (const name of ["value", "averageValue"] as const) {
    const value = target[name];
    if (value !== undefined && compareQuantities(value, "0") <= 0)
      yield invalid(`${field}.${name}`, value, "must be positive");
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    yield invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0");
}

function* metricNameProblems(field: string, metric: Sent<v2.MetricIdentifier> | undefined): Problems {
  if (!metric?.name) yield required(`${field}.name`, "must specify a metric name");
  else yield* needed(`${field}.name`, metric.name, checkPathSegment);
}

/** Returns true if a metric describes an object whose apiVersion is invalid. */
function hasInvalidVersion({ type, object }: SentMetric): boolean {
  return type === "Object" && checkVersion(object?.describedObject ?? {}).length > 0;
}

const longestWindow = 3600;
const longestPeriod = 1800;

function* scalingProblems(field: string, scaling: Sent<v2.HPAScalingRules> | undefined): Problems {
  if (!scaling) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = scaling;
  const seconds = `${field}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) {
    yield invalid(seconds, window, "must be greater than or equal to zero");
  } else if (window !== undefined && window > longestWindow) {
    yield invalid(seconds, window, `must be less than or equal to ${longestWindow}`);
  }
  yield* optionalChoice(`${field}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]);
  if (policies.length === 0) yield required(`${field}.policies`, "must specify at least one Policy");
  for (const [at, { type = "", value = 0, periodSeconds = 0 }] of itemsOf(`${field}.policies`, policies)) {
    const known = ["Percent", "Pods"];
    yield* optionalChoice(`${at}.type`, type, known);
    yield* positive(`${at}.value`, value);
    yield* positive(`${at}.periodSeconds`, periodSeconds);
    if (periodSeconds > longestPeriod) {
      const detail = `must be less than or equal to ${longestPeriod}`;
      yield invalid(`${at}.periodSeconds`, periodSeconds, detail);
    }
  }
  if (tolerance !== undefined && compareQuantities(tolerance, "0") < 0)
    yield invalid(`${field}.tolerance`, tolerance, "must be greater than or equal to 0");
}
