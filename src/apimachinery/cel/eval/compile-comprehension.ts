import { type Call, type Comprehension, type Expr, operators } from "../ast.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelList, NativeList } from "../values/list.ts";
import { CelMap, NativeMap } from "../values/map.ts";
import { typeOf } from "../values/type-of.ts";
import type { Value } from "../values/value.ts";
import { withoutStart } from "./compile-attribute.ts";
import type { Context } from "./context.ts";
import { asEvalError, charge, type Evaluate, type Frame } from "./frame.ts";
import { Scope } from "./scope.ts";

/** A mutable list that only the comprehension can access until it ends. */
class GrowingList extends CelList {
  readonly items: Value[] = [];

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index]!;
  }
}

/** Compiles a fold. An error in a step is stored in the accumulator: a later step of `exists` may still succeed. */
export function compileComprehension(expr: Comprehension, context: Context): Evaluate {
  const range = context.compile(expr.range, context);
  const init = context.compile(expr.accuInit, context);
  const inner = new Scope(context.scope);
  const accu = inner.define(expr.accuVar);
  const iteration = new Scope(inner);
  const first = iteration.define(expr.iterVar);
  const second = expr.iterVar2 === undefined ? undefined : iteration.define(expr.iterVar2);
  const condition = context.compile(expr.condition, { ...context, scope: iteration });
  const step = compileStep(expr, accu, { ...context, scope: iteration });
  const result = context.compile(expr.result, { ...context, scope: inner });
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
  if (step.kind !== "call") return context.compile(step, context);
  if (step.name === operators.conditional) {
    const [predicate, then, otherwise] = step.args as [Expr, Expr, Expr];
    const test = context.compile(predicate, context);
    const whenTrue = isAppend(then, accuVar)
      ? compileAppend(then, accu, context)
      : withoutStart(then, context.compile(then, context));
    const whenFalse = withoutStart(otherwise, context.compile(otherwise, context));
    return (frame) => {
      const chosen = test(frame);
      if (typeof chosen !== "boolean") throw new EvalError("no such overload");
      return chosen ? whenTrue(frame) : whenFalse(frame);
    };
  }
  return isAppend(step, accuVar) ? compileAppend(step, accu, context) : context.compile(step, context);
}

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
  const item = context.compile((list as Extract<Expr, { kind: "list" }>).items[0]!, context);
  const plain = context.compile(expr, context);
  return (frame) => {
    const target = frame.slots[accu];
    if (!(target instanceof GrowingList)) return plain(frame);
    const value = item(frame);
    // The cost of the three nodes that this one replaces: the variable, the list, the sum.
    charge(frame, 12);
    target.items.push(value);
    return target;
  };
}
