import type { Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import type { Value } from "../values/value.ts";
import { compileExpr } from "./compile-expr.ts";
import { CostLimitError, EvalError } from "../values/eval-error.ts";
import { type Frame, Scope, asEvalError } from "./context.ts";
import { check } from "../check/checker.ts";
import { validateLiterals } from "../check/validate-literals.ts";
import { parse } from "../syntax/parser.ts";
import type { CelType } from "../types/type.ts";

/** A parsed, checked and compiled expression. */
export interface Compiled {
  readonly source: string;
  readonly expr: Expr;
  readonly type: CelType;
  readonly program: Program;
}

/** Compiles an expression. Throws `CelSyntaxError` with all errors. */
export function compile(source: string, env: Env): Compiled {
  return compileWith(source, env, () => {});
}

/** Compiles as strictly as the API server: literal durations, timestamps and patterns must be valid. */
export function compileStrictly(source: string, env: Env): Compiled {
  return compileWith(source, env, validateLiterals);
}

function compileWith(source: string, env: Env, validate: typeof validateLiterals): Compiled {
  const expr = parse(source);
  const type = check(source, expr, env);
  validate(source, expr);
  return { source, expr, type, program: compileProgram(expr, env) };
}

/** The executable form of an expression. */
export interface Program {
  /** The names of its free variables. */
  readonly variables: readonly string[];
  /** Evaluates the expression. A variable that is missing, or throws an EvalError, is an error only if it is needed. */
  evaluate(variables: (name: string) => Value | undefined, limit?: number): Outcome;
}

/** The result of an evaluation. */
export interface Outcome {
  readonly value?: Value;
  /** An `EvalError` or a `CostLimitError`. */
  readonly error?: Error;
  readonly cost: number;
}

/** Compiles an expression to closures. A checked expression has faster calls and exact costs. */
export function compileProgram(expr: Expr, env: Env): Program {
  const scope = new Scope();
  const run = compileExpr(expr, { env, scope });
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
        // JavaScript's stack overflow: closures nest as deeply as the expression.
        if (error instanceof RangeError) {
          return { error: new Error("expression is too deep"), cost: frame.cost };
        }
        throw error;
      }
    },
  };
}

/** Returns a variable's value, or its error: a value that doesn't match its schema fails only the rules that use it. */
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
