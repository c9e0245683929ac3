import type { HPAScalingRules } from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import type { Sent } from "../../../contract/sent.ts";
import { optionalChoice, positive, type Problems } from "../../checks/problems.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";
import { hasInvalidVersion, metricProblems } from "./metrics.ts";
import { referenceProblems, targetVersion } from "./target-reference.ts";

/** Validates an autoscaler. An update may keep references whose apiVersion is invalid. */
export function* validate({ spec = {} }: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): Problems {
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
    isKept ? [] : targetVersion(scaleTargetRef),
  );
  const keepsVersions = (before?.metrics ?? []).some(hasInvalidVersion);
  for (const [index, metric] of metrics.entries()) {
    yield* metricProblems(`spec.metrics[${index}]`, metric, keepsVersions);
  }
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const rule = "must specify at least one Object or External metric to support scaling to zero replicas";
    yield forbidden("spec.metrics", rule);
  }
  yield* scalingProblems("spec.behavior.scaleUp", behavior.scaleUp);
  yield* scalingProblems("spec.behavior.scaleDown", behavior.scaleDown);
}

const longestWindow = 3600;
const longestPeriod = 1800;

function* scalingProblems(field: string, scaling: Sent<HPAScalingRules> | undefined): Problems {
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
    if (!known.includes(type)) yield notSupported(`${at}.type`, type, known);
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
