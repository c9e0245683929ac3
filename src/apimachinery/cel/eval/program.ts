import type { Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import type { Value } from "../values/value.ts";
import { compileExpr } from "./compile-expr.ts";
import { CostLimitError, EvalError } from "../values/eval-error.ts";
import { asEvalError, type Frame } from "./frame.ts";
import { Scope } from "./scope.ts";

/** The result of an evaluation. */
export interface Outcome {
  readonly value?: Value;
  /** An `EvalError` or a `CostLimitError`. */
  readonly error?: Error;
  readonly cost: number;
}

/** A compiled expression. */
export interface Program {
  /** The names of its free variables. */
  readonly variables: readonly string[];
  /** Evaluates the expression. A variable that is missing, or throws an EvalError, is an error only if it is needed. */
  evaluate(variables: (name: string) => Value | undefined, limit?: number): Outcome;
}

/** Compiles an expression to closures. A checked expression has faster calls and exact costs. */
export function compileProgram(expr: Expr, env: Env): Program {
  const scope = new Scope();
  const run = compileExpr(expr, { env, scope, compile: compileExpr });
  const free = Array.from(scope.free);
  return {
    variables: free.map(([name]) => name),
    evaluate(variables, limit = Number.POSITIVE_INFINITY) {
      const frame: Frame = { slots: Array.from({ length: scope.size }), cost: 0, limit };
      try {
        for (const [name, slot] of free) frame.slots[slot] = readVariable(variables, name);
        const value = run(frame);
        return { value, cost: frame.cost };
      } catch (error) {
        if (error instanceof EvalError || error instanceof CostLimitError) return { error, cost: frame.cost };
        if (error instanceof RangeError) return { error: new Error(tooDeep), cost: frame.cost };
        throw error;
      }
    },
  };
}

const tooDeep = "expression is too deep";

/** A value of another type than its schema's can't be read; that fails only the expressions that use it. */
function readVariable(
  variables: (name: string) => Value | undefined,
  name: string,
): Value | EvalError | undefined {
  try {
    return variables(name);
  } catch (error) {
    return asEvalError(error);
  }
}
