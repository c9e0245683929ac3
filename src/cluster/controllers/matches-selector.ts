import type { LabelSelector, LabelSelectorRequirement } from "@tsbuilder/apimachinery/meta";

type Labels = Readonly<Record<string, string>> | undefined;

/** Tells whether labels satisfy a selector. An empty selector matches all, a missing one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels?.[requirement.key]))
  );
}

/** Tells whether labels hold all of the wanted ones. */
export function matchesLabels(wanted: Readonly<Record<string, string>>, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

function meets({ operator, values = [] }: LabelSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
