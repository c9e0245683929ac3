import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/sent.ts";
import { type Problems, each, needed, optionalChoice, positive, refused } from "../checks/problems.ts";
import type { HorizontalPodAutoscaler } from "./annotations-of-v1.ts";
import { containerResourceNameProblems } from "../core/resources.ts";
import { pathSegmentName } from "../../registry/validate-metadata.ts";

/** Validates an autoscaler. An update may keep references whose apiVersion is invalid. */
export function* autoscalerProblems(
  { spec = {} }: HorizontalPodAutoscaler,
  old?: HorizontalPodAutoscaler,
): Problems {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {}, metrics = [], behavior = {} } = spec;
  const before = old?.spec;
  const lowest = before?.minReplicas === 0 ? 0 : 1;
  if (minReplicas < lowest) {
    yield invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${lowest}`);
  }
  if (maxReplicas === 0) yield required("spec.maxReplicas", "must be set and greater than 0");
  else if (maxReplicas < 1)
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas) {
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  const { apiVersion, kind } = before?.scaleTargetRef ?? {};
  const isKept = before && apiVersion === scaleTargetRef.apiVersion && kind === scaleTargetRef.kind;
  yield* referenceProblems(
    "spec.scaleTargetRef",
    scaleTargetRef,
    isKept ? [] : checkTargetVersion(scaleTargetRef),
  );
  const keepsVersions = (before?.metrics ?? []).some(hasInvalidVersion);
  yield* each("spec.metrics", metrics, (at, metric) => metricProblems(at, metric, keepsVersions));
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield forbidden("spec.metrics", rule);
  }
  yield* scalingProblems("spec.behavior.scaleUp", behavior.scaleUp);
  yield* scalingProblems("spec.behavior.scaleDown", behavior.scaleDown);
}

type Reference = Sent<v2.CrossVersionObjectReference>;

/** Validates a reference to an object of any kind; `versionReasons` are the errors of its apiVersion. */
function* referenceProblems(
  field: string,
  reference: Reference,
  versionReasons: readonly string[],
): Problems {
  yield* needed(`${field}.kind`, reference.kind, pathSegment);
  yield* needed(`${field}.name`, reference.name, pathSegment);
  yield* refused(`${field}.apiVersion`, reference.apiVersion ?? "", versionReasons);
}

/** The name of an object or a metric: a segment of a path. */
const pathSegment = (name: string): string[] => pathSegmentName(name, false);

/** The target needs an API group; only a ReplicationController has none. */
function checkTargetVersion({ apiVersion = "", kind }: Reference): string[] {
  if (apiVersion.includes("/") || kind === "ReplicationController") return checkVersion({ apiVersion });
  return ["apiVersion must specify API group"];
}

/** The object that a metric describes may be in any group. */
function checkVersion({ apiVersion = "" }: Reference): string[] {
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
type Metric = Sent<v2.MetricSpec>;

const metricTypes = Object.keys(sourceFields).toSorted();

/** Validates a metric; an update may keep invalid versions of described objects. */
function* metricProblems(field: string, metric: Metric, keepsVersions: boolean): Problems {
  const { type = "" } = metric;
  if (type === "") yield required(`${field}.type`, "must specify a metric source type");
  const isKnown = Object.hasOwn(sourceFields, type);
  if (!isKnown) yield notSupported(`${field}.type`, type, metricTypes);
  const present = Object.values(sourceFields).filter((name) => metric[name]);
  // Only the first source is validated.
  if (metric.object) yield* objectSourceProblems(`${field}.object`, metric.object, keepsVersions);
  else if (metric.external) yield* externalSourceProblems(`${field}.external`, metric.external);
  else if (metric.pods) yield* podsSourceProblems(`${field}.pods`, metric.pods);
  else if (metric.resource) yield* resourceSourceProblems(`${field}.resource`, metric.resource);
  else if (metric.containerResource) {
    yield* containerSourceProblems(`${field}.containerResource`, metric.containerResource);
  }
  const own = isKnown ? sourceFields[type as MetricType] : undefined;
  if (own === undefined) yield notSupported(`${field}.type`, type, metricTypes);
  else if (!metric[own]) {
    yield required(`${field}.${own}`, "must populate information for the given metric source");
  }
  for (const other of present.length > 1 ? present.filter((name) => name !== own) : []) {
    yield forbidden(`${field}.${other}`, "must populate the given metric source only");
  }
}

function* objectSourceProblems(
  field: string,
  source: Sent<v2.ObjectMetricSource>,
  keepsVersions: boolean,
): Problems {
  const { describedObject = {}, metric, target = {} } = source;
  const reasons = keepsVersions ? [] : checkVersion(describedObject);
  yield* referenceProblems(`${field}.describedObject`, describedObject, reasons);
  yield* metricNameProblems(`${field}.metric`, metric);
  yield* targetProblems(`${field}.target`, target);
  if (target.value === undefined && target.averageValue === undefined) {
    yield required(`${field}.target.averageValue`, "must set either a target value or averageValue");
  }
}

function* externalSourceProblems(
  field: string,
  { metric, target = {} }: Sent<v2.ExternalMetricSource>,
): Problems {
  yield* metricNameProblems(`${field}.metric`, metric);
  yield* targetProblems(`${field}.target`, target);
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined) {
    const detail = "must set either a target value for metric or a per-pod target";
    yield required(`${field}.target.averageValue`, detail);
  }
  if (value !== undefined && averageValue !== undefined) {
    const detail = "may not set both a target value for metric and a per-pod target";
    yield forbidden(`${field}.target.value`, detail);
  }
}

function* podsSourceProblems(field: string, { metric, target = {} }: Sent<v2.PodsMetricSource>): Problems {
  yield* metricNameProblems(`${field}.metric`, metric);
  yield* targetProblems(`${field}.target`, target);
  if (target.averageValue === undefined) {
    yield required(`${field}.target.averageValue`, "must specify a positive target averageValue");
  }
}

function* resourceSourceProblems(
  field: string,
  { name, target = {} }: Sent<v2.ResourceMetricSource>,
): Problems {
  if (!name) yield required(`${field}.name`, "must specify a resource name");
  yield* utilizationTargetProblems(`${field}.target`, target);
}

function* containerSourceProblems(field: string, source: Sent<v2.ContainerResourceMetricSource>): Problems {
  const { name, container, target = {} } = source;
  if (!name) yield required(`${field}.name`, "must specify a resource name");
  else yield* containerResourceNameProblems(`${field}.name`, name);
  if (!container) yield required(`${field}.container`, "must specify a container");
  else yield* refused(`${field}.container`, container, checkLabel(container));
  yield* utilizationTargetProblems(`${field}.target`, target);
}

function* utilizationTargetProblems(field: string, target: Sent<v2.MetricTarget>): Problems {
  yield* targetProblems(field, target);
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined) {
    yield required(
      `${field}.averageUtilization`,
      "must set either a target raw value or a target utilization",
    );
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    yield forbidden(`${field}.averageValue`, "may not set both a target raw value and a target utilization");
  }
}

function* targetProblems(field: string, target: Sent<v2.MetricTarget>): Problems {
  const { type = "", averageUtilization } = target;
  if (type === "") yield required(`${field}.type`, "must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    yield invalid(`${field}.type`, type, "must be either Utilization, Value, or AverageValue");
  }
  for (const name of ["value", "averageValue"] as const) {
    const value = target[name];
    if (value !== undefined && compareQuantities(value, "0") <= 0) {
      yield invalid(`${field}.${name}`, value, "must be positive");
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    yield invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0");
  }
}

function* metricNameProblems(field: string, metric: Sent<v2.MetricIdentifier> | undefined): Problems {
  if (!metric?.name) yield required(`${field}.name`, "must specify a metric name");
  else yield* needed(`${field}.name`, metric.name, pathSegment);
}

/** Returns true if a metric describes an object whose apiVersion is invalid. */
function hasInvalidVersion({ type, object }: Metric): boolean {
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
  for (const [index, { type = "", value = 0, periodSeconds = 0 }] of policies.entries()) {
    const at = `${field}.policies[${index}]`;
    const known = ["Percent", "Pods"];
    yield* optionalChoice(`${at}.type`, type, known);
    yield* positive(`${at}.value`, value);
    yield* positive(`${at}.periodSeconds`, periodSeconds);
    if (periodSeconds > longestPeriod) {
      const detail = `must be less than or equal to ${longestPeriod}`;
      yield invalid(`${at}.periodSeconds`, periodSeconds, detail);
    }
  }
  if (tolerance !== undefined && compareQuantities(tolerance, "0") < 0) {
    yield invalid(`${field}.tolerance`, tolerance, "must be greater than or equal to 0");
  }
}
