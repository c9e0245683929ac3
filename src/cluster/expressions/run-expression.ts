import { OutOfBudgetError, type Value, perCallLimit } from "@tsbuilder/apimachinery/cel";
import { listed } from "../contract/status-error.ts";
import type { Compilation } from "./compile-expression.ts";

/** Looks up the variables of an expression. */
export type Names = (name: string) => Value | undefined;

/** The value of an expression, or the reason why there is none. */
export type Evaluation = { readonly value: Value } | { readonly error: string };

/** The cost budget that a group of expressions shares. */
export class Budget {
  #left: number;

  constructor(cost: number) {
    this.#left = cost;
  }

  spend(cost: number): void {
    if (cost > this.#left) throw new OutOfBudgetError();
    this.#left -= cost;
  }
}

/** Evaluates an expression and spends its cost; throws if that exceeds the budget. */
export function runExpression(compiled: Compilation, names: Names, budget: Budget): Evaluation {
  if ("detail" in compiled) return { error: `compilation error: ${compiled.detail}` };
  const { value, error, cost } = compiled.program.evaluate(names, perCallLimit);
  budget.spend(cost);
  if (error instanceof OutOfBudgetError) throw error;
  if (error) return { error: `expression '${compiled.source}' resulted in error: ${error.message}` };
  return { value: value! };
}

/** The cost budget of match conditions: a quarter of that of a policy's validations. */
const matchConditionBudget = 2_500_000;

/** Evaluates match conditions: false if any is false, else their errors, about which the failure policy decides. */
export function conditionsHold(
  conditions: readonly Compilation[],
  namesFor: (budget: Budget) => Names,
): boolean | { readonly error: string } {
  const budget = new Budget(matchConditionBudget);
  const names = namesFor(budget);
  try {
    const outcomes = conditions.map((condition) => runExpression(condition, names, budget));
    if (outcomes.some((outcome) => "value" in outcome && outcome.value === false)) return false;
    const errors = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []));
    return errors.length === 0 || { error: listed(errors) };
  } catch (error) {
    if (error instanceof OutOfBudgetError) return { error: error.message };
    throw error;
  }
}
