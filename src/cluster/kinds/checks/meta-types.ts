import { forbidden, invalid, required, ruled, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkConditionReason, checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { Condition, LabelSelector, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { goFieldsOf } from "@tsbuilder/apimachinery/kinds";
import { compareText } from "@tsbuilder/apimachinery/text";
import { namedSchema } from "./known-values.ts";
import { labelProblems } from "./names.ts";
import { type Problems, checked, eachChecked, itemsOf, needed, optionalChoice, unique } from "./problems.ts";
import type { Sent } from "../../contract/api-object.ts";
import { checkAnnotations } from "../../registry/validate-metadata.ts";

/** Validates a selector; `rule` is that of its values, which stored objects may break. */
export function* selectorProblems(
  field: string,
  selector: Sent<LabelSelector> = {},
  rule = "selector",
): Problems {
  yield* labelProblems(`${field}.matchLabels`, selector.matchLabels);
  const requirements = itemsOf(`${field}.matchExpressions`, selector.matchExpressions);
  for (const [at, { key = "", operator = "", values = [] }] of requirements) {
    yield* operatorProblems(at, operator, values);
    yield* checked(`${at}.key`, key, checkQualifiedName);
    yield* ruled(rule, eachChecked(`${at}.values`, values, checkLabelValue));
  }
}

/** Validates the operator of a requirement, and whether it takes values. */
export function* operatorProblems(field: string, operator: string, values: readonly string[]): Problems {
  const at = `${field}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return;
      yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return;
      yield forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    default:
      yield invalid(`${field}.operator`, operator, "not a valid selector operator");
  }
}

/** Returns whether a selector is valid. */
export function isValidSelector(selector: LabelSelector | undefined): boolean {
  return [...selectorProblems("", selector)].length === 0;
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A selector as messages show it in a struct: labels in the order of their names. */
export function selectorStruct({ matchLabels, matchExpressions }: LabelSelector): object {
  const labels = Object.entries(matchLabels ?? {}).toSorted(([a], [b]) => compareText(a, b));
  return {
    ...(matchLabels && { matchLabels: Object.fromEntries(labels) }),
    ...(matchExpressions && { matchExpressions }),
  };
}

/** Validates conditions of the type that most kinds share, for those kinds whose status the server validates. */
export function* conditionProblems(field: string, conditions?: readonly Sent<Condition>[]): Problems {
  const uniqueType = unique();
  for (const [at, condition] of itemsOf(field, conditions)) {
    const { type = "", observedGeneration = 0, reason = "", message = "" } = condition;
    yield* uniqueType(`${at}.type`, type);
    yield* checked(`${at}.type`, type, checkQualifiedName);
    yield* optionalChoice(`${at}.status`, condition.status ?? "", ["False", "True", "Unknown"]);
    if (observedGeneration < 0) {
      const detail = "must be greater than or equal to zero";
      yield invalid(`${at}.observedGeneration`, observedGeneration, detail);
    }
    if (!condition.lastTransitionTime) yield required(`${at}.lastTransitionTime`);
    yield* needed(`${at}.reason`, reason, checkConditionReason);
    if (reason.length > 1024) yield tooLong(`${at}.reason`, 1024);
    if (message.length > 32_768) yield tooLong(`${at}.message`, 32_768);
  }
}

/** Validates the metadata of a template of claims: it may have only labels and annotations. */
export function* templateMetadataProblems(field: string, metadata: Sent<ObjectMeta> = {}): Problems {
  yield* checkAnnotations(metadata.annotations, `${field}.annotations`);
  yield* labelProblems(`${field}.labels`, metadata.labels);
  for (const name of goFieldsOf(namedSchema("meta/v1.ObjectMeta")!).keys()) {
    if (name === "labels" || name === "annotations" || !(name in metadata)) continue;
    // The message has Go's name of the field with its first letter in lower case.
    yield forbidden(`${field}.${name === "uid" ? "uID" : name}`, "cannot be set");
  }
}
