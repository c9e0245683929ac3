import type { Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import type { Evaluate } from "./frame.ts";
import type { Scope } from "./scope.ts";

/** The context in which a node is compiled. */
export interface Context {
  readonly env: Env;
  readonly scope: Scope;
  /** Compiles any node. Passed down, because importing it would be a cycle. */
  readonly compile: (expr: Expr, context: Context) => Evaluate;
}
