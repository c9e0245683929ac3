import type { Expr, ListExpr, MapExpr, StructExpr } from "../ast.ts";
import { EvalError } from "../values/eval-error.ts";
import { NativeList } from "../values/list.ts";
import { NativeMap } from "../values/map.ts";
import { CelOptional } from "../values/optional.ts";
import type { Value } from "../values/value.ts";
import { compileAttribute, isAttribute } from "./compile-attribute.ts";
import { compileCall } from "./compile-call.ts";
import { compileComprehension } from "./compile-comprehension.ts";
import type { Context } from "./context.ts";
import { constantOf } from "./constant.ts";
import { charge, type Evaluate } from "./frame.ts";

/** Compiles a node. */
export function compileExpr(expr: Expr, context: Context): Evaluate {
  const constant = constantOf(expr, context.env);
  if (constant !== undefined) return () => constant;
  if (isAttribute(expr)) return compileAttribute(expr, context);
  switch (expr.kind) {
    case "call":
      return compileCall(expr, context);
    case "list":
      return compileList(expr, context);
    case "map":
      return compileMap(expr, context);
    case "struct":
      return compileStruct(expr, context);
    case "comprehension":
      return compileComprehension(expr, context);
    default:
      return () => {
        throw new EvalError("unknown type");
      };
  }
}

function compileList({ items, optional }: ListExpr, context: Context): Evaluate {
  const evaluates = items.map((item) => compileExpr(item, context));
  return (frame) => {
    const values: Value[] = [];
    for (let index = 0; index < evaluates.length; index++) {
      const value = evaluates[index]!(frame);
      if (!optional.has(index)) values.push(value);
      else if (optionalOf(value).value !== undefined) values.push(optionalOf(value).value!);
    }
    charge(frame, 10);
    return new NativeList(values);
  };
}

function compileMap({ entries }: MapExpr, context: Context): Evaluate {
  const compiled = entries.map(({ key, value, optional }) => ({
    key: compileExpr(key, context),
    value: compileExpr(value, context),
    optional,
  }));
  return (frame) => {
    const map = new NativeMap();
    for (const { key, value, optional } of compiled) {
      const name = key(frame);
      const given = value(frame);
      const stored = optional ? optionalOf(given).value : given;
      if (stored === undefined) continue;
      if (map.find(name) !== undefined) throw new EvalError("Failed with repeated key");
      map.insert(name, stored);
    }
    charge(frame, 30);
    return map;
  };
}

function compileStruct({ name, fields }: StructExpr, context: Context): Evaluate {
  const struct = context.env.findStruct(name);
  const compiled = fields.map((field) => ({ ...field, evaluate: compileExpr(field.value, context) }));
  return (frame) => {
    if (!struct) throw new EvalError(`unknown type: ${name}`);
    const values = new Map<string, Value>();
    for (const field of compiled) {
      const given = field.evaluate(frame);
      const stored = field.optional ? optionalOf(given).value : given;
      if (stored !== undefined) values.set(field.name, stored);
    }
    charge(frame, 40);
    return struct.construct(values);
  };
}

function optionalOf(value: Value): CelOptional {
  if (value instanceof CelOptional) return value;
  throw new EvalError("no such overload");
}
