import { matchesRequirements, type Operator } from "@tsbuilder/apimachinery/selector";

/** Returns true if labels include all wanted ones, as selectors of Services and node selectors of pods require. */
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

/** The operators of label selectors as `matchesRequirements()` names them. */
const operators: ReadonlyMap<string, Operator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Returns true if a value, such as that of a field, meets an expression; `undefined` counts as an absent label. */
export function meetsExpression(
  { operator, values = [] }: ValueExpression,
  value: string | undefined,
): boolean {
  const selectorOperator = operators.get(operator);
  if (selectorOperator === undefined) return false;
  return matchesRequirements(
    [{ key: "value", operator: selectorOperator, values }],
    value === undefined ? {} : { value },
  );
}
