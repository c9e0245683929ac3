import type { Expr } from "../ast.ts";
import type { Env } from "../check/env.ts";
import type { Evaluate } from "./frame.ts";
import type { Scope } from "./scope.ts";

/** What compilation knows about the surroundings of a node. */
export interface Context {
  readonly env: Env;
  readonly scope: Scope;
  /** Compiles a node of any sort. It is handed down, as the nodes that have others within can't import it. */
  readonly compile: (expr: Expr, context: Context) => Evaluate;
}
