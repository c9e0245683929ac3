import { OutOfBudgetError } from "@tsbuilder/apimachinery/cel";
import type { Compilation } from "./compile-expression.ts";
import { type Budget, type Names, runExpression } from "./run-expression.ts";

/** A quarter of the cost budget of a policy's validations. */
export const matchConditionBudget = 2_500_000;

/**
 * Whether all conditions hold. If any is false, the result is false; otherwise evaluation errors are returned, and the
 * failure policy decides about them.
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
