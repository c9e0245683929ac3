import type { Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import type { Value } from "../values/value.ts";
import { compileExpr } from "./compile-expr.ts";
import type { Frame } from "./frame.ts";
import { Scope } from "./scope.ts";

/** What an evaluation came to. */
export interface Outcome {
  readonly value?: Value;
  /** An `EvalError` or a `CostLimitError`. */
  readonly error?: Error;
  readonly cost: number;
}

/** An expression, ready to be evaluated any number of times. */
export interface Program {
  /** The variables that it reads. */
  readonly variables: readonly string[];
  /** Evaluates it; a variable without a value is an error only when it is needed. */
  evaluate(variables: (name: string) => Value | undefined, limit?: number): Outcome;
}

/** Compiles an expression to closures. What the checker noted in it makes calls faster and costs exact. */
export function compileProgram(expr: Expr, env: Env): Program {
  const scope = new Scope();
  const run = compileExpr(expr, { env, scope, compile: compileExpr });
  const free = Array.from(scope.free);
  return {
    variables: free.map(([name]) => name),
    evaluate(variables, limit = Number.POSITIVE_INFINITY) {
      const frame: Frame = { slots: Array.from({ length: scope.size }), cost: 0, limit };
      try {
        for (const [name, slot] of free) frame.slots[slot] = variables(name);
        const value = run(frame);
        return { value, cost: frame.cost };
      } catch (error) {
        if (error instanceof RangeError)
          return { error: new Error("expression is too deep"), cost: frame.cost };
        return { error: error as Error, cost: frame.cost };
      }
    },
  };
}
