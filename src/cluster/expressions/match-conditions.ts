import { OutOfBudgetError } from "@tsbuilder/apimachinery/cel";
import type { Compilation } from "./compile-expression.ts";
import { type Budget, type Names, runExpression } from "./run-expression.ts";

/** A quarter of what the validations of a policy may cost. */
export const matchConditionBudget = 2_500_000;

/**
 * Tells whether all conditions hold. One that is false settles the matter; otherwise one that can't be evaluated
 * gives an error, which the failure policy decides about.
 */
export function conditionsHold(
  conditions: readonly Compilation[],
  names: Names,
  budget: Budget,
): boolean | { readonly error: string } {
  try {
    const outcomes = conditions.map((condition) => runExpression(condition, names, budget));
    if (outcomes.some((outcome) => "value" in outcome && outcome.value === false)) return false;
    const errors = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []));
    if (errors.length === 0) return true;
    return { error: errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]` };
  } catch (error) {
    if (error instanceof OutOfBudgetError) return { error: error.message };
    throw error;
  }
}
