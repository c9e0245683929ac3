import { compareText } from "../text/index.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../meta/index.ts";
import { aggregate } from "./parse-label-selector.ts";
import {
  checkRequirement,
  formatRequirements,
  matchesRequirements,
  type Operator,
  type Requirement,
} from "./requirement.ts";

/**
 * Converts the selector of an object to requirements; an empty one has none and matches everything.
 * @throws TypeError with the API server's message
 */
export function toRequirements({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Requirement[] {
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]): Requirement => ({
      key,
      operator: "=",
      values: [value],
    })),
    ...matchExpressions.map(toRequirement),
  ];
  for (const requirement of requirements) {
    const reasons = checkRequirement(requirement);
    if (reasons.length > 0) throw new TypeError(aggregate(reasons));
  }
  return requirements.sort((a, b) => compareText(a.key, b.key));
}

/** Returns true if labels match a selector; `undefined` matches nothing, an empty selector everything. */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return selector !== undefined && matchesRequirements(toRequirements(selector), labels);
}

/** Formats a selector as text, as in queries and tables. */
export function formatLabelSelector(selector: LabelSelector): string {
  return formatRequirements(toRequirements(selector));
}

function toRequirement({ key, operator, values = [] }: LabelSelectorRequirement): Requirement {
  const word = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (word === undefined) {
    throw new TypeError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return { key, operator: word, values };
}

/** Numeric comparisons exist in the text form only. */
const operators: Readonly<Record<string, Operator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};
