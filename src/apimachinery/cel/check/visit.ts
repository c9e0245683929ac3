import type { Expr } from "../ast.ts";

/** Calls a function with every node of a tree and its ancestors, parents first. */
export function visit(expr: Expr, callback: (expr: Expr, parents: readonly Expr[]) => void): void {
  walk(expr, [], callback);
}

function walk(
  expr: Expr,
  parents: readonly Expr[],
  callback: (expr: Expr, parents: readonly Expr[]) => void,
): void {
  callback(expr, parents);
  const inner = [...parents, expr];
  for (const child of childrenOf(expr)) walk(child, inner, callback);
}

function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target && expr.qualified === undefined ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}
