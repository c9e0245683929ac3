import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { matchesLabels } from "../../control-loop/matches-labels.ts";
import { readPath } from "./read-path.ts";
import type { Stage, StageDelay, StageSelector } from "./stage.ts";

/** Finds the next stage of an object: of those that match it, the one with the highest weight. */
export function chooseStage(stages: readonly Stage[], object: KubernetesObject): Stage | undefined {
  const [first] = stages
    .filter(({ spec }) => isOfKind(spec.resourceRef, object) && selects(spec.selector, object))
    .sort((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0));
  return first;
}

/** After how many milliseconds a stage applies to an object that has matched it since a given time. */
export function untilStage(
  delay: StageDelay | undefined,
  object: KubernetesObject,
  since: number,
  now: number,
): number {
  const from = delay?.durationFrom && readPath(object, delay.durationFrom.expressionFrom);
  const due =
    (typeof from === "string" ? dueBy(from, since) : undefined) ?? since + (delay?.durationMilliseconds ?? 0);
  return Math.max(0, due - now);
}

/** The delay that an object specifies: a time, or a duration such as `1m30s`; anything else is ignored. */
function dueBy(text: string, since: number): number | undefined {
  if (/^\d{4}-\d\d-\d\d/.test(text)) return Date.parse(text);
  try {
    return since + parseDuration(text);
  } catch {
    return undefined;
  }
}

function isOfKind({ apiGroup = "", kind }: Stage["spec"]["resourceRef"], object: KubernetesObject): boolean {
  const group = apiGroup === "v1" ? "" : parseApiVersion(apiGroup).group || apiGroup;
  return object.kind === kind && parseApiVersion(object.apiVersion).group === group;
}

function selects(selector: StageSelector, object: KubernetesObject): boolean {
  const { labels, annotations } = object.metadata;
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    matchesLabels(selector.matchAnnotations ?? {}, annotations) &&
    (selector.matchExpressions ?? []).every((expression) => meets(expression, object))
  );
}

function meets(
  { key, operator, values = [] }: NonNullable<StageSelector["matchExpressions"]>[number],
  object: KubernetesObject,
): boolean {
  const value = readPath(object, key);
  const isThere = value !== undefined && value !== null && value !== "";
  const isListed = isThere && values.includes(typeof value === "string" ? value : JSON.stringify(value));
  switch (operator) {
    case "Exists":
      return isThere;
    case "DoesNotExist":
      return !isThere;
    case "In":
      return isListed;
    case "NotIn":
      return !isListed;
    default:
      return false;
  }
}
