import { type Call, type Expr, type Ident, operators, qualifiedName, type Select } from "../ast.ts";
import { index, lookUp, optionalIndex } from "../functions/collections.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelMap, CelObject, CelOptional, type Value } from "../values/value.ts";
import { type Context, type Evaluate, type Frame, charge } from "./context.ts";

/** A variable, or a chain of selections and indexes: its start and each step cost one. */
export type Attribute = Ident | Select | (Call & { readonly name: "_[_]" | "_[?_]" | "_?._" });

/** Returns true for an attribute, including `has()`. */
export function isAttribute(expr: Expr): expr is Attribute {
  if (expr.kind === "ident" || expr.kind === "select") return true;
  if (expr.kind !== "call") return false;
  return (
    expr.name === operators.index ||
    expr.name === operators.optionalIndex ||
    expr.name === operators.optionalSelect
  );
}

/** One step of a chain. */
type Step = (value: Value, frame: Frame) => Value;

/**
 * Compiles a variable, selection, index or `has()`. A chain whose whole name is declared, such as `a.b`, is one variable.
 */
export function compileAttribute(expr: Attribute, context: Context): Evaluate {
  if (expr.kind === "ident") return compileIdent(expr, context);
  if (expr.kind === "select") {
    const name = nameOf(expr, context);
    if (name !== undefined) return compileIdent({ kind: "ident", pos: expr.pos, name: `.${name}` }, context);
  }
  const operand = expr.kind === "select" ? expr.operand : expr.args[0]!;
  const base = compileOperand(operand, context);
  if (expr.kind === "select" && expr.test) {
    const { field } = expr;
    return (frame) => hasField(base(frame), field);
  }
  const step = compileStep(expr, context);
  return (frame) => step(base(frame), frame);
}

/** Compiles the operand of a step. An attribute charges for its own start; any other operand costs one. */
function compileOperand(operand: Expr, context: Context): Evaluate {
  const evaluate = context.compile(operand, context);
  if (isAttribute(operand)) return evaluate;
  return (frame) => {
    const value = evaluate(frame);
    charge(frame, 1);
    return value;
  };
}

/** As in cel-go, an attribute that is an index or a branch of `?:` does not pay for its start. */
export function withoutStart(expr: Expr, evaluate: Evaluate): Evaluate {
  if (!isAttribute(expr)) return evaluate;
  return (frame) => {
    const value = evaluate(frame);
    frame.cost -= 1;
    return value;
  };
}

function compileStep(expr: Select | Call, context: Context): Step {
  if (expr.kind === "select") {
    const { field } = expr;
    return (value, frame) => chargeStep(selectField(value, field), frame);
  }
  const second = expr.args[1]!;
  if (expr.name === operators.optionalSelect) {
    const field = second.kind === "literal" && typeof second.value === "string" ? second.value : "";
    return (value, frame) => chargeStep(optionalField(value, field), frame);
  }
  const key = withoutStart(second, context.compile(second, context));
  const isOptional = expr.name === operators.optionalIndex;
  return (value, frame) => {
    const at = key(frame);
    return chargeStep(
      isOptional || value instanceof CelOptional ? optionalIndex(value, at) : index(value, at),
      frame,
    );
  };
}

/** A step costs one; if an optional chain ends early, the rest is free. */
function chargeStep(result: Value, frame: Frame): Value {
  if (result !== CelOptional.none) charge(frame, 1);
  return result;
}

function compileIdent({ name }: Ident, { env, scope }: Context): Evaluate {
  const isLocal = scope.findLocal(name) !== undefined;
  const declared = isLocal ? undefined : env.findName(name);
  if (declared?.value) {
    const { value } = declared;
    return () => value;
  }
  return readSlot(scope.resolve(isLocal ? name : (declared?.name ?? name)), name);
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

/** Returns the declared variable whose qualified name is the whole chain. */
function nameOf(expr: Select, { env, scope }: Context): string | undefined {
  const spelled = qualifiedName(expr);
  if (spelled === undefined) return undefined;
  const name = expr.qualified ?? (expr.type === undefined ? env.findName(spelled)?.name : undefined);
  return name !== undefined && scope.findLocal(name.split(".")[0]!) === undefined ? name : undefined;
}

function selectField(target: Value, field: string): Value {
  const found = findField(target, field);
  if (found !== undefined) return found;
  throw new EvalError(`no such key: ${field}`);
}

function optionalField(target: Value, field: string): Value {
  const found = findField(target, field);
  if (target instanceof CelOptional) return found!;
  return found === undefined ? CelOptional.none : new CelOptional(found);
}

/** Returns the value of a field, or undefined; a field of an optional is an optional. */
function findField(target: Value, field: string): Value | undefined {
  if (target instanceof CelObject || target instanceof CelMap) return target.find(field);
  if (target instanceof CelOptional) {
    if (target.value === undefined) return CelOptional.none;
    if (!isContainer(target.value)) throw new EvalError(`no such key: ${field}`);
    const found = findField(target.value, field);
    return found === undefined ? CelOptional.none : new CelOptional(found);
  }
  return undefined;
}

function isContainer(value: Value): boolean {
  return value instanceof CelObject || value instanceof CelMap || value instanceof CelOptional;
}

function hasField(target: Value, field: string): boolean {
  if (target instanceof CelObject) return target.has(field);
  if (target instanceof CelMap) return lookUp(target, field) !== undefined;
  if (target instanceof CelOptional) return target.value !== undefined && hasField(target.value, field);
  throw new EvalError("no such overload");
}
