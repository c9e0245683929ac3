import { duplicate, forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkConditionReason, checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type {
  Condition,
  LabelSelector,
  LabelSelectorRequirement,
  ObjectMeta,
} from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { labelProblems } from "./names.ts";
import { type Problems, refused, optionalChoice } from "./problems.ts";
import type { Sent } from "../../contract/sent.ts";
import { checkAnnotations } from "../../registry/validate-metadata.ts";

export function* selectorProblems(field: string, selector: LabelSelector | undefined): Problems {
  if (!selector) return;
  yield* labelProblems(`${field}.matchLabels`, selector.matchLabels);
  for (const [index, requirement] of (selector.matchExpressions ?? []).entries()) {
    yield* requirementProblems(`${field}.matchExpressions[${index}]`, requirement);
  }
}

function* requirementProblems(
  field: string,
  { key = "", operator, values = [] }: Partial<LabelSelectorRequirement>,
): Problems {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        yield required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        yield forbidden(
          `${field}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
      }
      break;
    default:
      yield invalid(`${field}.operator`, operator ?? "", "not a valid selector operator");
  }
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  for (const [index, value] of values.entries()) {
    yield* refused(`${field}.values[${index}]`, value, checkLabelValue(value));
  }
}

/** Returns whether a selector is valid. */
export function isUsable(selector: LabelSelector | undefined): boolean {
  return [...selectorProblems("", selector)].length === 0;
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** A selector as messages show it in a struct: labels in the order of their names. */
export function shownSelector({ matchLabels, matchExpressions }: LabelSelector): object {
  const labels = Object.entries(matchLabels ?? {}).toSorted(([a], [b]) => compareText(a, b));
  return {
    ...(matchLabels && { matchLabels: Object.fromEntries(labels) }),
    ...(matchExpressions && { matchExpressions }),
  };
}

const statuses = ["False", "True", "Unknown"];

const longestReason = 1024;

const longestMessage = 32 * 1024;

/** Validates conditions of the type that most kinds share, for those kinds whose status the server validates. */
export function* conditionProblems(field: string, conditions: readonly Sent<Condition>[] = []): Problems {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = `${field}[${index}]`;
    const { type = "", status = "", observedGeneration = 0, reason = "", message = "" } = condition;
    if (seen.has(type)) yield duplicate(`${at}.type`, type);
    seen.add(type);
    yield* refused(`${at}.type`, type, checkQualifiedName(type));
    yield* optionalChoice(`${at}.status`, status, statuses);
    if (observedGeneration < 0) {
      const detail = "must be greater than or equal to zero";
      yield invalid(`${at}.observedGeneration`, observedGeneration, detail);
    }
    if (!condition.lastTransitionTime) yield required(`${at}.lastTransitionTime`);
    if (reason === "") yield required(`${at}.reason`);
    else yield* refused(`${at}.reason`, reason, checkConditionReason(reason));
    if (reason.length > longestReason) yield tooLong(`${at}.reason`, longestReason);
    if (message.length > longestMessage) yield tooLong(`${at}.message`, longestMessage);
  }
}

/** All else that metadata has, by the names of Go's fields. */
const unsettable: Readonly<Record<string, keyof ObjectMeta | "selfLink">> = {
  name: "name",
  generateName: "generateName",
  namespace: "namespace",
  selfLink: "selfLink",
  uID: "uid",
  resourceVersion: "resourceVersion",
  generation: "generation",
  creationTimestamp: "creationTimestamp",
  deletionTimestamp: "deletionTimestamp",
  deletionGracePeriodSeconds: "deletionGracePeriodSeconds",
  ownerReferences: "ownerReferences",
  finalizers: "finalizers",
  managedFields: "managedFields",
};

/** Validates the metadata of a template of claims: labels and annotations are all that it may have. */
export function* templateMetadata(field: string, metadata: Sent<ObjectMeta> = {}): Problems {
  yield* checkAnnotations(metadata.annotations, `${field}.annotations`);
  yield* labelProblems(`${field}.labels`, metadata.labels);
  for (const [shown, name] of Object.entries(unsettable)) {
    if (name in metadata) yield forbidden(`${field}.${shown}`, "cannot be set");
  }
}
