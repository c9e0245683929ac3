import { OutOfBudgetError, perCallLimit, type Value } from "@tsbuilder/apimachinery/cel";
import type { Compilation } from "./compile-expression.ts";

/** How an expression reads its variables. */
export type Names = (name: string) => Value | undefined;

/** What came of an expression: a value, or why there is none. */
export type Evaluation = { readonly value: Value } | { readonly error: string };

/** What a group of expressions may cost together. */
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

/** Evaluates an expression; what it costs is taken from the budget, of which nothing may be missing. */
export function runExpression(compiled: Compilation, names: Names, budget: Budget): Evaluation {
  if ("detail" in compiled) return { error: `compilation error: ${compiled.detail}` };
  const { value, error, cost } = compiled.program.evaluate(names, perCallLimit);
  budget.spend(cost);
  if (error instanceof OutOfBudgetError) throw error;
  if (error) return { error: `expression '${compiled.source}' resulted in error: ${error.message}` };
  return { value: value! };
}
