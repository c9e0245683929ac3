import { type Call, type Expr, operators, qualifiedName } from "../ast.ts";
import { runtimeCost } from "../cost/runtime-cost.ts";
import { index, optionalIndex } from "../functions/collections.ts";
import type { Overload } from "../functions/function.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelOptional } from "../values/optional.ts";
import type { Value } from "../values/value.ts";
import { compileExpr, type Context, findField } from "./compile-expr.ts";
import { asEvalError, charge, type Evaluate } from "./frame.ts";

/** Compiles a call: operators that don't need all their operands have an evaluation of their own. */
export function compileCall(expr: Call, context: Context): Evaluate {
  const operands = (): Evaluate[] => expr.args.map((arg) => compileExpr(arg, context));
  switch (expr.name) {
    case operators.and:
      return logical(operands(), false);
    case operators.or:
      return logical(operands(), true);
    case operators.conditional:
      return conditional(operands());
    case operators.notStrictlyFalse:
      return notStrictlyFalse(operands()[0]!);
    case operators.optionalSelect:
      return optionalSelect(expr, operands()[0]!);
    default:
      return compileFunction(expr, context);
  }
}

/** `&&` and `||` yield what decides them even if the other side fails. */
function logical([left, right]: readonly Evaluate[], decisive: boolean): Evaluate {
  return (frame) => {
    let failure: EvalError | undefined;
    let first: Value | undefined;
    try {
      first = left!(frame);
    } catch (error) {
      failure = asEvalError(error);
    }
    if (first === decisive) return decisive;
    const second = right!(frame);
    if (second === decisive) return decisive;
    if (failure) throw failure;
    if (typeof first !== "boolean" || typeof second !== "boolean") throw new EvalError("no such overload");
    return !decisive;
  };
}

function conditional([condition, whenTrue, whenFalse]: readonly Evaluate[]): Evaluate {
  return (frame) => {
    const chosen = condition!(frame);
    if (typeof chosen !== "boolean") throw new EvalError("no such overload");
    return chosen ? whenTrue!(frame) : whenFalse!(frame);
  };
}

/** The condition under which `all` and `exists` go on: errors don't end the loop. */
function notStrictlyFalse(operand: Evaluate): Evaluate {
  return (frame) => {
    let value: Value;
    try {
      value = operand(frame);
    } catch (error) {
      asEvalError(error);
      value = true;
    }
    charge(frame, 1);
    return value !== false;
  };
}

function optionalSelect({ args }: Call, operand: Evaluate): Evaluate {
  const [, name] = args;
  const field = name?.kind === "literal" && typeof name.value === "string" ? name.value : "";
  return (frame) => {
    const target = operand(frame);
    charge(frame, 1);
    const found = findField(target, field);
    if (target instanceof CelOptional) return found!;
    return found === undefined ? CelOptional.none : new CelOptional(found);
  };
}

function compileFunction(expr: Call, context: Context): Evaluate {
  const { name, args, overloads } = resolve(expr, context);
  const evaluates = args.map((arg) => compileExpr(arg, context));
  const cost = runtimeCost(name, overloads.length === 1 ? overloads[0]!.id : "");
  const [first, second] = evaluates;
  if (evaluates.length === 2) {
    return (frame) => {
      const values = [first!(frame), second!(frame)];
      const value = dispatch(name, overloads, values);
      charge(frame, typeof cost === "number" ? cost : cost(values, value));
      return value;
    };
  }
  return (frame) => {
    const values = evaluates.map((evaluate) => evaluate(frame));
    const value = dispatch(name, overloads, values);
    charge(frame, typeof cost === "number" ? cost : cost(values, value));
    return value;
  };
}

/** The checker has done this already, unless the expression was not checked. */
function resolve(
  expr: Call,
  { env }: Context,
): { name: string; args: readonly Expr[]; overloads: readonly Overload[] } {
  const { target, args } = expr;
  const prefix = target && qualifiedName(target);
  const guessed =
    prefix !== undefined && expr.type === undefined
      ? env.findFunction(`${prefix}.${expr.name}`)?.name
      : undefined;
  const qualified = expr.qualified ?? guessed;
  const name = qualified ?? expr.name;
  const all = target && qualified === undefined ? [target, ...args] : args;
  if (expr.overloads) return { name, args: all, overloads: expr.overloads };
  const isMember = target !== undefined && qualified === undefined;
  const declared = env.findFunction(name)?.overloads ?? [];
  return { name, args: all, overloads: declared.filter(({ member }) => member === isMember) };
}

/** Reading a list or map doesn't go by overloads: a key of an open type may be any number. */
const byValue: Readonly<Record<string, (container: Value, key: Value) => Value>> = {
  [operators.index]: (container, key) =>
    container instanceof CelOptional ? optionalIndex(container, key) : index(container, key),
  [operators.optionalIndex]: optionalIndex,
};

function dispatch(name: string, overloads: readonly Overload[], values: readonly Value[]): Value {
  const read = byValue[name];
  if (read) return read(values[0]!, values[1]!);
  for (const overload of overloads) if (overload.accepts(values)) return overload.apply(values);
  throw new EvalError(noSuchOverload(name));
}

/** Some operators don't say which one they are. */
function noSuchOverload(name: string): string {
  return `no such overload: ${name}`;
}
