import { compareText } from "../text/index.ts";
import { checkLabelValue, checkQualifiedName } from "../naming/index.ts";

/** The operator of a requirement, as in the text form; `exists` and `!` have no values. */
export type Operator = "in" | "notin" | "=" | "==" | "!=" | "exists" | "!" | "gt" | "lt";

/** One condition on a label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Returns true if labels match all requirements; an empty list matches everything. */
export function matchesRequirements(
  requirements: readonly Requirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every((requirement) => matches(requirement, valueOf(labels, requirement.key)));
}

/** Reads own members only: labels may have the name of a member of the prototype. */
function valueOf(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function matches({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.includes(value);
    // An object without the label matches.
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "gt":
    case "lt":
      return value !== undefined && compare(value, operator, values[0] ?? "");
    default:
      return operator satisfies never;
  }
}

function compare(value: string, operator: "gt" | "lt", limit: string): boolean {
  if (!isInt64(value) || !isInt64(limit)) return false;
  return operator === "gt" ? BigInt(value) > BigInt(limit) : BigInt(value) < BigInt(limit);
}

/** Formats requirements as a label selector: sorted by key, values sorted. */
export function formatRequirements(requirements: readonly Requirement[]): string {
  return requirements
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(formatRequirement)
    .join(",");
}

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}

/** Returns why the API server rejects a requirement, in its words. */
export function checkRequirement({ key, operator, values }: Requirement): string[] {
  return [
    ...invalid("key", key, checkQualifiedName(key)),
    ...checkCount(operator, values),
    ...values.flatMap((value, index) => invalid(`values[${index}][${key}]`, value, checkLabelValue(value))),
  ];
}

function checkCount(operator: Operator, values: readonly string[]): string[] {
  // Go encodes a nil slice as null.
  const written = values.length === 0 ? "null" : JSON.stringify(values);
  const refuse = (reason: string): string[] => [`values: Invalid value: ${written}: ${reason}`];
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? refuse("for 'in', 'notin' operators, values set can't be empty") : [];
    case "exists":
    case "!":
      return values.length > 0 ? refuse("values set must be empty for exists and does not exist") : [];
    case "gt":
    case "lt":
      return values
        .filter((value) => !isInt64(value))
        .map(
          (value) =>
            `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
    default:
      return [];
  }
}

/** Joins the reasons for one value into one message. */
export function invalid(path: string, value: string, reasons: readonly string[]): string[] {
  return reasons.length === 0
    ? []
    : [`${path}: Invalid value: ${JSON.stringify(value)}: ${reasons.join("; ")}`];
}

function isInt64(text: string): boolean {
  return (
    /^[+-]?\d+$/u.test(text) &&
    BigInt.asIntN(64, BigInt(text.replace("+", ""))) === BigInt(text.replace("+", ""))
  );
}
