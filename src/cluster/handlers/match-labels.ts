import type { LabelSelector } from "@tsbuilder/apimachinery/meta";

/** Tells whether labels fit a selector; an empty selector fits all, none fits nothing. */
export function matchesLabelSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === "Exists") return value !== undefined;
      if (operator === "DoesNotExist") return value === undefined;
      const listed = value !== undefined && values.includes(value);
      return operator === "In" ? listed : !listed;
    })
  );
}
