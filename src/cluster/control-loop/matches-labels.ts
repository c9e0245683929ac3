import { matchesRequirements, type Operator } from "@tsbuilder/apimachinery/selector";

/** Returns true if labels include all wanted ones: the selectors of Services, and the node selectors of pods. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

/** An expression of a selector without its key, with the operators of label selectors. */
interface ValueExpression {
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

const operators: ReadonlyMap<string, Operator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Returns true if a value that is no label meets an expression; `undefined` counts as an absent label. */
export function meetsExpression(
  { operator, values = [] }: ValueExpression,
  value: string | undefined,
): boolean {
  const word = operators.get(operator);
  if (word === undefined) return false;
  return matchesRequirements(
    [{ key: "value", operator: word, values }],
    value === undefined ? {} : { value },
  );
}
