import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../contract/api-object.ts";
import type { Strategy } from "../registry/resource.ts";
import { pathSegmentName } from "../registry/validate-name.ts";
import { choice, needed, optionalChoice, positive, type Problems, refused } from "./checks/problems.ts";

interface Target {
  readonly type?: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

interface Source {
  readonly name?: string;
  readonly metric?: { readonly name?: string };
  readonly container?: string;
  readonly target?: Target;
}

interface Scaling {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly { type?: string; value?: number; periodSeconds?: number }[];
}

interface Autoscaler extends ApiObject {
  spec?: {
    minReplicas?: number;
    maxReplicas?: number;
    scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string };
    metrics?: readonly ({ readonly type?: string } & Readonly<Record<string, unknown>>)[];
    targetCPUUtilizationPercentage?: number;
    behavior?: { scaleUp?: Scaling; scaleDown?: Scaling };
  };
}

export const autoscalerStrategy: Partial<Strategy> = {
  default(object, { version }) {
    const { spec } = object as Autoscaler;
    if (spec) {
      spec.minReplicas ??= 1;
      const target = { type: "Utilization", averageUtilization: 80 };
      if (version === "v2") spec.metrics ??= [{ type: "Resource", resource: { name: "cpu", target } }];
      else spec.targetCPUUtilizationPercentage ??= 80;
      if (spec.behavior) spec.behavior = defaultBehavior(spec.behavior);
    }
    const status =
      version === "v2"
        ? { desiredReplicas: 0, currentMetrics: null }
        : { currentReplicas: 0, desiredReplicas: 0 };
    object["status"] = { ...status, ...(object["status"] as object) };
  },
  validate: (object) => [...problemsOf(object)],
  validateUpdate: (object) => [...problemsOf(object)],
};

/** Once some behavior is said, all of it is filled in: up at once by four pods or by all, down as far as asked. */
function defaultBehavior({ scaleUp, scaleDown }: { scaleUp?: object; scaleDown?: object }): object {
  const byPercent = { type: "Percent", value: 100, periodSeconds: 15 };
  const policies = [{ type: "Pods", value: 4, periodSeconds: 15 }, byPercent];
  return {
    scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...scaleUp },
    scaleDown: { selectPolicy: "Max", policies: [byPercent], ...scaleDown },
  };
}

function* problemsOf({ spec = {} }: Autoscaler): Problems {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef = {}, metrics = [], behavior = {} } = spec;
  if (minReplicas < 1) yield invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1");
  if (maxReplicas === 0) yield required("spec.maxReplicas", "must be set and greater than 0");
  else if (maxReplicas < 1)
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to 1");
  if (maxReplicas < minReplicas) {
    yield invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  yield* targetProblems("spec.scaleTargetRef", scaleTargetRef);
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
  { apiVersion = "", kind, name }: { apiVersion?: string; kind?: string; name?: string },
): Problems {
  yield* needed(`${field}.kind`, kind, pathSegment);
  yield* needed(`${field}.name`, name, pathSegment);
  if (apiVersion.split("/").length > 2) {
    yield invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else if (apiVersion === "") {
    yield invalid(`${field}.apiVersion`, apiVersion, "apiVersion must specify API group");
  }
}

/** Where each type of metric has its source. */
const sources: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

function* metricProblems(
  field: string,
  { type = "", ...metric }: { readonly type?: string } & Readonly<Record<string, unknown>>,
): Problems {
  yield* choice(`${field}.type`, type, Object.keys(sources));
  const name = sources[type];
  if (!name) return;
  const source = metric[name] as Source | undefined;
  if (!source) {
    yield required(`${field}.${name}`, "must populate information for the given metric source");
    return;
  }
  const at = `${field}.${name}`;
  if (type === "ContainerResource" && !source.container) {
    yield required(`${at}.container`, "must specify a container");
  }
  if (type === "Resource" || type === "ContainerResource") {
    if (!source.name) yield required(`${at}.name`, "must specify a resource name");
  } else if (!source.metric?.name) yield required(`${at}.metric.name`, "must specify a metric name");
  yield* valueProblems(`${at}.target`, type, source.target ?? {});
}

function* valueProblems(field: string, type: string, target: Target): Problems {
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

function* scalingProblems(field: string, scaling: Scaling | undefined): Problems {
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
