import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { LabelSelector, LabelSelectorRequirement } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { labelProblems } from "./names.ts";
import { type Problems, refused } from "./problems.ts";

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
