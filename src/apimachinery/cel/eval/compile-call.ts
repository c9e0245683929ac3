import { type Call, type Expr, operators, qualifiedName } from "../ast.ts";
import { runtimeCost } from "../cost/runtime-cost.ts";
import { isIn } from "../functions/collections.ts";
import type { Overload } from "../functions/function.ts";
import { EvalError } from "../values/eval-error.ts";
import { numberOf } from "../values/equality.ts";
import { CelList } from "../values/list.ts";
import { CelOptional } from "../values/optional.ts";
import type { Value } from "../values/value.ts";
import { withoutStart } from "./compile-attribute.ts";
import type { Context } from "./context.ts";
import { constantOf } from "./constant.ts";
import { noSuchOverload } from "./no-such-overload.ts";
import { asEvalError, charge, type Evaluate } from "./frame.ts";

/** Compiles a call; operators that don't always need all operands are compiled separately. */
export function compileCall(expr: Call, context: Context): Evaluate {
  const operands = (): Evaluate[] => expr.args.map((arg) => context.compile(arg, context));
  switch (expr.name) {
    case operators.and:
      return logical(operands(), false);
    case operators.or:
      return logical(operands(), true);
    case operators.conditional:
      return conditional(expr, operands());
    case operators.notStrictlyFalse:
      return notStrictlyFalse(operands()[0]!);
    case "or":
    case "orValue":
      return alternative(expr, context) ?? compileFunction(expr, context);
    case operators.in:
      return membership(expr, context) ?? compileFunction(expr, context);
    default:
      return compileFunction(expr, context);
  }
}

/** `&&` and `||` return the operand that decides, even if the other one fails. */
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

/** The start of branches that are attributes is free. */
function conditional({ args }: Call, [condition, ...branches]: readonly Evaluate[]): Evaluate {
  const [whenTrue, whenFalse] = branches.map((branch, index) => withoutStart(args[index + 1]!, branch));
  return (frame) => {
    const chosen = condition!(frame);
    if (typeof chosen !== "boolean") throw new EvalError("no such overload");
    return chosen ? whenTrue!(frame) : whenFalse!(frame);
  };
}

/** The condition of the loops of `all` and `exists`: errors don't end them. */
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

/** Evaluates the alternative of an optional only if it is needed. */
function alternative({ name, target, args, overloads }: Call, context: Context): Evaluate | undefined {
  if (!target || args.length !== 1 || !overloads?.every(({ id }) => id.startsWith("optional_or")))
    return undefined;
  const optional = context.compile(target, context);
  const other = context.compile(args[0]!, context);
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof CelOptional)) throw noSuchOverload(name, [value]);
    if (value.value === undefined) return other(frame);
    return name === "or" ? value : value.value;
  };
}

/** `in` with a list of constants is a lookup without cost. */
function membership({ args, overloads }: Call, context: Context): Evaluate | undefined {
  const [element, container] = args as [Expr, Expr];
  const list = constantOf(container, context.env);
  if (!(list instanceof CelList) || overloads?.length !== 1) return undefined;
  if (list.size === 0) return () => false;
  if (
    !list.toArray().every((item) => item === null || typeof item !== "object" || numberOf(item) !== undefined)
  ) {
    return undefined;
  }
  const evaluate = context.compile(element, context);
  return (frame) => isIn(evaluate(frame), list);
}

function compileFunction(expr: Call, context: Context): Evaluate {
  const { name, args, overloads } = resolve(expr, context);
  const evaluates = args.map((arg) => context.compile(arg, context));
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

/** The overloads from the checker, or all of the function if the expression was not checked. */
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

function dispatch(name: string, overloads: readonly Overload[], values: readonly Value[]): Value {
  for (const overload of overloads) if (overload.accepts(values)) return overload.apply(values);
  throw noSuchOverload(name, values);
}
