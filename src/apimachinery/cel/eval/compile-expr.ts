import type { Call, Comprehension, Expr, Ident, ListExpr, MapExpr, Select, StructExpr } from "../ast.ts";
import { operators, qualifiedName } from "../ast.ts";
import { EvalError } from "../values/eval-error.ts";
import {
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  NativeList,
  NativeMap,
  type Value,
  numberOf,
  typeOf,
} from "../values/value.ts";
import { type Context, type Evaluate, type Frame, Scope, asEvalError, charge } from "./context.ts";
import { constructionCost, runtimeCost } from "../cost/runtime-cost.ts";
import { index, isIn, lookUp, optionalIndex } from "../functions/collections.ts";
import type { Overload } from "../functions/function.ts";
import type { Env } from "../check/env.ts";

/**
 * Compiles an expression to a function that evaluates it and charges its cost, as cel-go does. Constant expressions are
 * evaluated here, and free.
 */
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

/**
 * Returns the value of a constant expression, or undefined. Folded expressions cost nothing at run time; as on the API
 * server, they are literals, literal lists and maps, and conversions.
 */
function constantOf(expr: Expr, env: Env): Value | undefined {
  switch (expr.kind) {
    case "literal":
      return expr.value;
    case "list":
      return expr.optional.size > 0 ? undefined : constantList(expr.items, env);
    case "map": {
      if (expr.entries.some(({ optional }) => optional)) return undefined;
      const keys = expr.entries.map(({ key }) => constantOf(key, env));
      const values = expr.entries.map(({ value }) => constantOf(value, env));
      if (keys.includes(undefined) || values.includes(undefined)) return undefined;
      return constantMap(keys as Value[], values as Value[]);
    }
    case "call":
      return constantConversion(expr, env);
    default:
      return undefined;
  }
}

function constantList(items: readonly Expr[], env: Env): Value | undefined {
  const values = items.map((item) => constantOf(item, env));
  return values.includes(undefined) ? undefined : new NativeList(values as Value[]);
}

function constantMap(keys: readonly Value[], values: readonly Value[]): Value | undefined {
  try {
    return new NativeMap(keys.map((key, index) => [key, values[index]!] as const));
  } catch (error) {
    // A repeated key is an error at run time.
    if (error instanceof EvalError) return undefined;
    throw error;
  }
}

/** The conversions that are evaluated at compile time if their argument is a constant. */
const conversions = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "));

function constantConversion({ name, target, args, overloads }: Call, env: Env): Value | undefined {
  if (target || args.length !== 1 || !conversions.has(name)) return undefined;
  const argument = constantOf(args[0]!, env);
  if (argument === undefined) return undefined;
  const candidates = overloads ?? env.findFunction(name)?.overloads ?? [];
  const fitting = candidates.find((candidate) => candidate.accepts([argument]));
  if (!fitting) throw noSuchOverload(name, [argument]);
  return fitting.apply([argument]);
}

/** Compiles a call; operators that don't always need all operands are compiled separately. */
function compileCall(expr: Call, context: Context): Evaluate {
  const operands = (): Evaluate[] => expr.args.map((arg) => compileExpr(arg, context));
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

/** A branch that is an attribute does not pay for its start: see `withoutStart()`. */
function conditional({ args }: Call, [condition, ...branches]: readonly Evaluate[]): Evaluate {
  const [whenTrue, whenFalse] = branches.map((branch, index) => withoutStart(args[index + 1]!, branch));
  return chooseBranch(condition!, whenTrue!, whenFalse!);
}

function chooseBranch(condition: Evaluate, whenTrue: Evaluate, whenFalse: Evaluate): Evaluate {
  return (frame) => {
    const isTrue = condition(frame);
    if (typeof isTrue !== "boolean") throw new EvalError("no such overload");
    return isTrue ? whenTrue(frame) : whenFalse(frame);
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

/** Compiles `or` and `orValue`, which evaluate the alternative of an optional only if it is needed. */
function alternative({ name, target, args, overloads }: Call, context: Context): Evaluate | undefined {
  if (!target || args.length !== 1 || !overloads?.every(({ id }) => id.startsWith("optional_or")))
    return undefined;
  const optional = compileExpr(target, context);
  const other = compileExpr(args[0]!, context);
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof CelOptional)) throw noSuchOverload(name, [value]);
    if (value.value === undefined) return other(frame);
    return name === "or" ? value : value.value;
  };
}

/** Compiles `in` with a list of constants, a lookup without cost; returns undefined for any other container. */
function membership({ args, overloads }: Call, context: Context): Evaluate | undefined {
  const [element, container] = args as [Expr, Expr];
  const list = constantOf(container, context.env);
  if (!(list instanceof CelList) || overloads?.length !== 1) return undefined;
  if (list.size === 0) return () => false;
  const isPrimitive = (item: Value): boolean =>
    item === null || typeof item !== "object" || numberOf(item) !== undefined;
  if (!list.toArray().every(isPrimitive)) return undefined;
  const evaluate = compileExpr(element, context);
  return (frame) => isIn(evaluate(frame), list);
}

function compileFunction(expr: Call, context: Context): Evaluate {
  const { name, args, overloads } = resolveOverloads(expr, context);
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

/** Returns the overloads from the checker, or all of the function if the expression was not checked. */
function resolveOverloads(expr: Call, { env }: Context) {
  const { target, args } = expr;
  const prefix = target && qualifiedName(target);
  const isUnchecked = prefix !== undefined && expr.type === undefined;
  const qualified =
    expr.qualified ?? (isUnchecked ? env.findFunction(`${prefix}.${expr.name}`)?.name : undefined);
  const name = qualified ?? expr.name;
  const isMember = target !== undefined && qualified === undefined;
  const operands = isMember ? [target, ...args] : args;
  if (expr.overloads) return { name, args: operands, overloads: expr.overloads };
  const declared = env.findFunction(name)?.overloads ?? [];
  return { name, args: operands, overloads: declared.filter(({ member }) => member === isMember) };
}

function dispatch(name: string, overloads: readonly Overload[], values: readonly Value[]): Value {
  for (const overload of overloads) if (overload.accepts(values)) return overload.apply(values);
  throw noSuchOverload(name, values);
}

/** The functions whose names cel-go omits in the error. */
const unnamedInErrors = new Set("@in contains endsWith find findAll matches startsWith".split(" "));

/** The error of values without a matching overload, which is possible with dynamic types only. */
function noSuchOverload(name: string, values: readonly Value[]): EvalError {
  if (/^[_!-]/.test(name) || unnamedInErrors.has(name)) return new EvalError("no such overload");
  if (name === "size" || (name === "join" && !(values[0] instanceof CelList))) {
    return new EvalError(`no such overload: ${name}`);
  }
  const types = values.map((value) => typeOf(value).runtimeName);
  return new EvalError(`no such overload: ${name}(${types.join(", ")})`);
}

function compileList({ items, optional }: ListExpr, context: Context): Evaluate {
  const evaluates = items.map((item) => compileExpr(item, context));
  return (frame) => {
    const values: Value[] = [];
    for (let index = 0; index < evaluates.length; index++) {
      const value = evaluates[index]!(frame);
      if (!optional.has(index)) values.push(value);
      else if (asOptional(value).value !== undefined) values.push(asOptional(value).value!);
    }
    charge(frame, constructionCost.list);
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
      const result = value(frame);
      const present = optional ? asOptional(result).value : result;
      if (present === undefined) continue;
      if (map.find(name) !== undefined) throw new EvalError("Failed with repeated key");
      map.insert(name, present);
    }
    charge(frame, constructionCost.map);
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
      const result = field.evaluate(frame);
      const present = field.optional ? asOptional(result).value : result;
      if (present !== undefined) values.set(field.name, present);
    }
    charge(frame, constructionCost.struct);
    return struct.construct(values);
  };
}

function asOptional(value: Value): CelOptional {
  if (value instanceof CelOptional) return value;
  throw new EvalError("no such overload");
}

/** Compiles a fold. An error in a step is stored in the accumulator: a later step of `exists` may still succeed. */
function compileComprehension(expr: Comprehension, context: Context): Evaluate {
  const range = compileExpr(expr.range, context);
  const init = compileExpr(expr.accuInit, context);
  const inner = new Scope(context.scope);
  const accu = inner.define(expr.accuVar);
  const iteration = new Scope(inner);
  const first = iteration.define(expr.iterVar);
  const second = expr.iterVar2 === undefined ? undefined : iteration.define(expr.iterVar2);
  const condition = compileExpr(expr.condition, { ...context, scope: iteration });
  const step = compileStep(expr, accu, { ...context, scope: iteration });
  const result = compileExpr(expr.result, { ...context, scope: inner });
  const fresh = freshAccumulator(expr);

  return (frame) => {
    const container = range(frame);
    const start = init(frame);
    frame.slots[accu] = fresh?.() ?? start;
    for (const [key, value] of iterate(container, second !== undefined)) {
      frame.slots[first] = key;
      if (second !== undefined) frame.slots[second] = value;
      if (condition(frame) === false) break;
      frame.slots[accu] = runStep(step, frame);
    }
    const folded = result(frame);
    return folded instanceof GrowingList ? new NativeList(folded.items) : folded;
  };
}

/** Copies empty lists and maps: they are constants, which must not be modified. */
function freshAccumulator({ accuInit }: Comprehension): (() => Value) | undefined {
  if (accuInit.kind === "list" && accuInit.items.length === 0) return () => new GrowingList();
  return accuInit.kind === "map" && accuInit.entries.length === 0 ? () => new NativeMap() : undefined;
}

/** A mutable list that only the comprehension can access until it ends. As a kind of `NativeList`, it would be slower. */
class GrowingList extends CelList {
  readonly items: Value[] = [];

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index]!;
  }
}

function runStep(step: Evaluate, frame: Frame): Value | EvalError {
  try {
    return step(frame);
  } catch (error) {
    return asEvalError(error);
  }
}

/** Iterates over the items of a list, or index and item; over the keys of a map, or key and value. */
function* iterate(container: Value, pairs: boolean): Iterable<readonly [Value, Value]> {
  if (container instanceof CelList) {
    for (let index = 0; index < container.size; index++) {
      const item = container.at(index);
      yield pairs ? [index, item] : [item, item];
    }
  } else if (container instanceof CelMap) {
    for (const key of container.keys()) yield [key, pairs ? container.find(key)! : key];
  } else {
    throw new EvalError(`got '${goTypeOf(container)}', expected iterable type`);
  }
}

/** The name of cel-go's Go type, which only this message has. */
function goTypeOf(value: Value): string {
  const { name } = typeOf(value);
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** `accu + [item]` appends to the mutable list; concatenation would copy the list in each step. */
function compileStep({ step, accuVar }: Comprehension, accu: number, context: Context): Evaluate {
  if (step.kind !== "call") return compileExpr(step, context);
  if (step.name === operators.conditional) {
    const [predicate, then, otherwise] = step.args as [Expr, Expr, Expr];
    const test = compileExpr(predicate, context);
    const whenTrue = isAppend(then, accuVar)
      ? compileAppend(then, accu, context)
      : withoutStart(then, compileExpr(then, context));
    const whenFalse = withoutStart(otherwise, compileExpr(otherwise, context));
    return chooseBranch(test, whenTrue, whenFalse);
  }
  return isAppend(step, accuVar) ? compileAppend(step, accu, context) : compileExpr(step, context);
}

/** Returns true for `accu + [item]`, to which `map` and `filter` expand. */
function isAppend(expr: Expr, accuVar: string): expr is Call {
  if (expr.kind !== "call" || expr.name !== operators.add || expr.target) return false;
  const [left, right] = expr.args;
  return (
    left?.kind === "ident" &&
    left.name === accuVar &&
    right?.kind === "list" &&
    right.items.length === 1 &&
    right.optional.size === 0
  );
}

function compileAppend(expr: Call, accu: number, context: Context): Evaluate {
  const list = expr.args[1]!;
  const item = compileExpr((list as Extract<Expr, { kind: "list" }>).items[0]!, context);
  const plain = compileExpr(expr, context);
  return (frame) => {
    const target = frame.slots[accu];
    if (!(target instanceof GrowingList)) return plain(frame);
    const value = item(frame);
    // The cost of the three nodes that this one replaces: the variable, the list, the sum.
    charge(frame, 1 + constructionCost.list + 1);
    target.items.push(value);
    return target;
  };
}

/** A variable, or a chain of selections and indexes: its start and each step cost one. */
type Attribute = Ident | Select | (Call & { readonly name: "_[_]" | "_[?_]" | "_?._" });

/** Returns true for an attribute, including `has()`. */
function isAttribute(expr: Expr): expr is Attribute {
  if (expr.kind === "ident" || expr.kind === "select") return true;
  if (expr.kind !== "call") return false;
  return (
    expr.name === operators.index ||
    expr.name === operators.optionalIndex ||
    expr.name === operators.optionalSelect
  );
}

/** Compiles an attribute. A chain whose whole name is declared, such as `a.b`, is one variable. */
function compileAttribute(expr: Attribute, context: Context): Evaluate {
  if (expr.kind === "ident") return compileIdent(expr, context);
  if (expr.kind === "select") {
    const name = declaredName(expr, context);
    if (name !== undefined) return compileIdent({ kind: "ident", pos: expr.pos, name: `.${name}` }, context);
  }
  const operand = expr.kind === "select" ? expr.operand : expr.args[0]!;
  const base = compileOperand(operand, context);
  if (expr.kind === "select" && expr.test) {
    const { field } = expr;
    return (frame) => hasField(base(frame), field);
  }
  const step = compileAccess(expr, context);
  return (frame) => step(base(frame), frame);
}

/** Compiles the operand of a step. An attribute charges for its own start; any other operand costs one. */
function compileOperand(operand: Expr, context: Context): Evaluate {
  const evaluate = compileExpr(operand, context);
  if (isAttribute(operand)) return evaluate;
  return (frame) => {
    const value = evaluate(frame);
    charge(frame, 1);
    return value;
  };
}

/** As in cel-go, an attribute that is an index or a branch of `?:` does not pay for its start. */
function withoutStart(expr: Expr, evaluate: Evaluate): Evaluate {
  if (!isAttribute(expr)) return evaluate;
  return (frame) => {
    const value = evaluate(frame);
    frame.cost -= 1;
    return value;
  };
}

/** Evaluates one selection or index of a chain. */
type Step = (value: Value, frame: Frame) => Value;

function compileAccess(expr: Select | Call, context: Context): Step {
  if (expr.kind === "select") {
    const { field } = expr;
    return (value, frame) => chargeStep(selectField(value, field), frame);
  }
  const second = expr.args[1]!;
  if (expr.name === operators.optionalSelect) {
    const field = second.kind === "literal" && typeof second.value === "string" ? second.value : "";
    return (value, frame) => chargeStep(optionalField(value, field), frame);
  }
  const key = withoutStart(second, compileExpr(second, context));
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

/** Returns the name of the declared variable that the whole chain spells, if there is one. */
function declaredName(expr: Select, { env, scope }: Context): string | undefined {
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
    const { value } = target;
    const hasFields = value instanceof CelObject || value instanceof CelMap || value instanceof CelOptional;
    if (!hasFields) throw new EvalError(`no such key: ${field}`);
    const found = findField(value, field);
    return found === undefined ? CelOptional.none : new CelOptional(found);
  }
  return undefined;
}

function hasField(target: Value, field: string): boolean {
  if (target instanceof CelObject) return target.has(field);
  if (target instanceof CelMap) return lookUp(target, field) !== undefined;
  if (target instanceof CelOptional) return target.value !== undefined && hasField(target.value, field);
  throw new EvalError("no such overload");
}
