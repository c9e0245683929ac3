import { quote } from "../../text/index.ts";
import type { Expr } from "../ast.ts";
import { CelDouble, CelUint, type Value, isInt } from "../values/value.ts";

/** Formats a tree as in the parsing cases of cel-spec, with the protobuf message of each node. */
export function printAst(expr: Expr, indent = ""): string {
  const inner = `${indent}  `;
  const lines = (parts: readonly string[]): string =>
    parts.length === 0 ? "" : `\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}`;
  switch (expr.kind) {
    case "literal":
      return literal(expr.value);
    case "ident":
      return `${expr.name}^#*expr.Expr_IdentExpr#`;
    case "select":
      return `${printAst(expr.operand, indent)}.${expr.field}${expr.test ? "~test-only~" : ""}^#*expr.Expr_SelectExpr#`;
    case "call": {
      const target = expr.target ? `${printAst(expr.target, indent)}.` : "";
      return `${target}${expr.name}(${lines(expr.args.map((arg) => printAst(arg, inner)))})^#*expr.Expr_CallExpr#`;
    }
    case "list":
      return `[${lines(expr.items.map((item) => printAst(item, inner)))}]^#*expr.Expr_ListExpr#`;
    case "map": {
      const entries = expr.entries.map(
        ({ key, value }) =>
          `${printAst(key, inner)}:${printAst(value, inner)}^#*expr.Expr_CreateStruct_Entry#`,
      );
      return `{${lines(entries)}}^#*expr.Expr_StructExpr#`;
    }
    case "struct": {
      const fields = expr.fields.map(
        ({ name, value }) => `${name}:${printAst(value, inner)}^#*expr.Expr_CreateStruct_Entry#`,
      );
      return `${expr.name}{${lines(fields)}}^#*expr.Expr_StructExpr#`;
    }
    case "comprehension": {
      const { range, iterVar, accuVar, accuInit, condition, step, result } = expr;
      const parts: readonly (readonly [string, string])[] = [
        ["Variable", iterVar],
        ["Target", printAst(range, inner)],
        ["Accumulator", accuVar],
        ["Init", printAst(accuInit, inner)],
        ["LoopCondition", printAst(condition, inner)],
        ["LoopStep", printAst(step, inner)],
        ["Result", printAst(result, inner)],
      ];
      const body = parts.map(([name, text]) => `${inner}// ${name}\n${inner}${text}`).join(",\n");
      return `__comprehension__(\n${body})^#*expr.Expr_ComprehensionExpr#`;
    }
  }
}

function literal(value: Value): string {
  const typed = (text: string, type: string): string => `${text}^#*expr.Constant_${type}Value#`;
  if (isInt(value)) return typed(String(value), "Int64");
  if (value instanceof CelUint) return typed(`${value.value}u`, "Uint64");
  if (value instanceof CelDouble) return typed(String(value.value), "Double");
  if (typeof value === "string") return typed(quote(value), "String");
  if (value instanceof Uint8Array) return typed(`b${quote(Buffer.from(value).toString())}`, "Bytes");
  return value === null ? typed("null", "Null") : typed(value === true ? "true" : "false", "Bool");
}
