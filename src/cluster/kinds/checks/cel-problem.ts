import { internalError, invalid } from "@tsbuilder/apimachinery/errors";
import type { Compilation } from "../../expressions/compile-expression.ts";
import type { Problems } from "./problems.ts";

/** The error for an expression that does not compile. */
export function* celProblem(field: string, expression: string, compiled: Compilation): Problems {
  if (!("detail" in compiled)) return;
  if (compiled.internal) yield internalError(field, compiled.detail);
  else yield invalid(field, expression, compiled.detail);
}
