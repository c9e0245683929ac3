import type { Expr, Ident, ListExpr, MapExpr, Select } from "../ast.ts";
import { qualifiedName } from "../ast.ts";
import type { Env } from "../check/env.ts";
import { EvalError } from "../values/eval-error.ts";
import { NativeList } from "../values/list.ts";
import { CelMap, NativeMap } from "../values/map.ts";
import { CelObject } from "../values/object.ts";
import { CelOptional } from "../values/optional.ts";
import type { Value } from "../values/value.ts";
import { compileCall } from "./compile-call.ts";
import { compileComprehension } from "./compile-comprehension.ts";
import { charge, type Evaluate } from "./frame.ts";
import type { Scope } from "./scope.ts";

/** What compilation knows about the surroundings of a node. */
export interface Context {
  readonly env: Env;
  readonly scope: Scope;
}

/** Compiles a node. */
export function compileExpr(expr: Expr, context: Context): Evaluate {
  switch (expr.kind) {
    case "literal": {
      const { value } = expr;
      return () => value;
    }
    case "ident":
      return compileIdent(expr, context);
    case "select":
      return compileSelect(expr, context);
    case "call":
      return compileCall(expr, context);
    case "list":
      return compileList(expr, context);
    case "map":
      return compileMap(expr, context);
    case "struct":
      return () => {
        throw new EvalError(`unknown type: ${expr.name}`);
      };
    case "comprehension":
      return compileComprehension(expr, context);
  }
}

function compileIdent({ name }: Ident, { env, scope }: Context): Evaluate {
  const constant = scope.findLocal(name) === undefined ? env.findName(name)?.value : undefined;
  if (constant) return () => constant;
  const known = scope.findLocal(name) === undefined ? (env.findName(name)?.name ?? name) : name;
  return readSlot(scope.resolve(known), known);
}

function readSlot(slot: number, name: string): Evaluate {
  return (frame) => {
    charge(frame, 1);
    const value = frame.slots[slot];
    if (value instanceof EvalError) throw value;
    if (value === undefined) throw new EvalError(`no such attribute(s): ${name}`);
    return value;
  };
}

function compileSelect(expr: Select, context: Context): Evaluate {
  const { scope, env } = context;
  const name = qualifiedName(expr);
  const qualified =
    expr.qualified ?? (expr.type === undefined && name !== undefined ? env.findName(name)?.name : undefined);
  if (qualified !== undefined && scope.findLocal(qualified.split(".")[0]!) === undefined) {
    return compileIdent({ kind: "ident", pos: expr.pos, name: `.${qualified}` }, context);
  }
  const operand = compileExpr(expr.operand, context);
  const { field } = expr;
  if (expr.test) return (frame) => hasField(operand(frame), field);
  return (frame) => {
    const target = operand(frame);
    charge(frame, 1);
    return selectField(target, field);
  };
}

/** Reads `target.field`; on an optional the result is one too. */
export function selectField(target: Value, field: string): Value {
  const found = findField(target, field);
  if (found !== undefined) return found;
  throw new EvalError(`no such key: ${field}`);
}

/** What a field holds, or undefined. */
export function findField(target: Value, field: string): Value | undefined {
  if (target instanceof CelObject || target instanceof CelMap) return target.find(field);
  if (target instanceof CelOptional) {
    const found = target.value === undefined ? undefined : findField(target.value, field);
    return found === undefined ? CelOptional.none : new CelOptional(found);
  }
  throw new EvalError("no such overload");
}

function hasField(target: Value, field: string): boolean {
  if (target instanceof CelObject) return target.has(field);
  if (target instanceof CelMap) return target.find(field) !== undefined;
  if (target instanceof CelOptional) return target.value !== undefined && hasField(target.value, field);
  throw new EvalError("no such overload");
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

function optionalOf(value: Value): CelOptional {
  if (value instanceof CelOptional) return value;
  throw new EvalError("no such overload");
}
