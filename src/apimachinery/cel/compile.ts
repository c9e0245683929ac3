import type { Expr } from "./ast.ts";
import { check } from "./check/checker.ts";
import type { Env } from "./check/env.ts";
import { validateLiterals } from "./check/validate-literals.ts";
import { compileProgram, type Program } from "./eval/program.ts";
import { parse } from "./syntax/parser.ts";
import type { CelType } from "./types/type.ts";

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

/** The same, as strict as the API server: literal durations, timestamps and patterns must be valid. */
export function compileStrictly(source: string, env: Env): Compiled {
  return compileWith(source, env, validateLiterals);
}

function compileWith(source: string, env: Env, validate: typeof validateLiterals): Compiled {
  const expr = parse(source);
  const type = check(source, expr, env);
  validate(source, expr);
  return { source, expr, type, program: compileProgram(expr, env) };
}
