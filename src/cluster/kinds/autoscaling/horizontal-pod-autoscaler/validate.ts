import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
  PodsMetricSource,
} from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { Sent } from "../../../contract/sent.ts";
import { pathSegmentName } from "../../../registry/validate-name.ts";
import { choice, needed, optionalChoice, positive, type Problems, refused } from "../../checks/problems.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";

/** Validates an autoscaler. An update may keep a target that is invalid. */
export function* validate({ spec = {} }: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): Problems {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {}, metrics = [], behavior = {} } = spec;
  if (minReplicas < 1) yield invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1");
  if (maxReplicas === 0) yield required("spec.maxReplicas", "must be set and greater than 0");
  else if (maxReplicas < 1)
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas) {
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  const before = old?.spec?.scaleTargetRef;
  const isKept = before?.apiVersion === scaleTargetRef.apiVersion && before?.kind === scaleTargetRef.kind;
  yield* targetProblems("spec.scaleTargetRef", scaleTargetRef, old !== undefined && isKept);
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield forbidden("spec.metrics", rule);
  }
  for (const [index, metric] of metrics.entries()) yield* metricProblems(`spec.metrics[${index}]`, metric);
  yield* scalingProblems("spec.behavior.scaleUp", behavior.scaleUp);
  yield* scalingProblems("spec.behavior.scaleDown", behavior.scaleDown);
}

const pathSegment = (name: string): string[] => pathSegmentName(name, false);

function* targetProblems(
  field: string,
  { apiVersion = "", kind, name }: Sent<CrossVersionObjectReference>,
  isKept: boolean,
): Problems {
  yield* needed(`${field}.kind`, kind, pathSegment);
  yield* needed(`${field}.name`, name, pathSegment);
  if (isKept) return;
  if (apiVersion.split("/").length > 2) {
    yield invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else if (!apiVersion.includes("/") && kind !== "ReplicationController") {
    yield invalid(`${field}.apiVersion`, apiVersion, "apiVersion must specify API group");
  }
}

/** The field that holds the source of each metric type. */
const sources = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
} as const;

function* metricProblems(field: string, { type = "", ...metric }: Sent<MetricSpec>): Problems {
  yield* choice(`${field}.type`, type, Object.keys(sources));
  if (!isMetricType(type)) return;
  const at = `${field}.${sources[type]}`;
  const source: Source | undefined = metric[sources[type]];
  if (!source) {
    yield required(at, "must populate information for the given metric source");
    return;
  }
  if (type === "ContainerResource" && !source.container) {
    yield required(`${at}.container`, "must specify a container");
  }
  if (type === "Resource" || type === "ContainerResource") {
    if (!source.name) yield required(`${at}.name`, "must specify a resource name");
  } else if (!source.metric?.name) yield required(`${at}.metric.name`, "must specify a metric name");
  yield* valueProblems(`${at}.target`, type, source.target ?? {});
}

/** The fields of all metric sources together. */
type Source = Sent<ContainerResourceMetricSource & PodsMetricSource>;

function isMetricType(type: string): type is keyof typeof sources {
  return Object.hasOwn(sources, type);
}

function* valueProblems(field: string, type: string, target: Sent<MetricTarget>): Problems {
  for (const name of ["averageValue", "value"] as const) {
    const value = target[name];
    if (value !== undefined && compareQuantities(value, "0") <= 0) {
      yield invalid(`${field}.${name}`, value, "must be positive");
    }
  }
  const { averageUtilization, averageValue } = target;
  if (averageUtilization !== undefined && averageUtilization < 1) {
    yield invalid(`${field}.averageUtilization`, averageUtilization, "must be greater than 0");
  }
  if (!type.endsWith("Resource")) return;
  if (averageUtilization === undefined && averageValue === undefined) {
    yield required(
      `${field}.averageUtilization`,
      "must set either a target raw value or a target utilization",
    );
  }
}

function* scalingProblems(field: string, scaling: Sent<HPAScalingRules> | undefined): Problems {
  if (!scaling) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = scaling;
  const seconds = `${field}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0) {
    yield invalid(seconds, window, "must be greater than or equal to zero");
  } else if (window !== undefined && window > 3600) {
    yield invalid(seconds, window, "must be less than or equal to 3600");
  }
  yield* optionalChoice(`${field}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]);
  for (const [index, { type, value = 0, periodSeconds = 0 }] of policies.entries()) {
    const at = `${field}.policies[${index}]`;
    yield* choice(`${at}.type`, type, ["Percent", "Pods"]);
    yield* positive(`${at}.value`, value);
    yield* positive(`${at}.periodSeconds`, periodSeconds);
    if (periodSeconds > 1800) {
      yield* refused(`${at}.periodSeconds`, periodSeconds, ["must be less than or equal to 1800"]);
    }
  }
}
