import { accumulator, type Call, type Comprehension, type Expr, operators } from "../ast.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { type CelType, isOptional, types } from "../types/type.ts";
import { textLength } from "../values/text.ts";
import { estimateCall } from "./estimate-call.ts";
import type { Operand } from "./operand.ts";
import { add, fixed, multiply, type Range, union, unknown } from "./range.ts";

/** Estimates the maximum cost of one evaluation of a checked expression, given the bounds in the schema. */
export function estimateCost(expr: Expr, root: DeclType): number {
  return new Estimator(root).cost(expr).max;
}

/** The sizes of keys and values of a list or map that the expression creates. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

class Estimator {
  readonly #root: DeclType;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(root: DeclType) {
    this.#root = root;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return fixed(0);
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return fixed(1);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return add(fixed(40), ...expr.fields.map(({ value }) => this.cost(value)));
      case "comprehension":
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #select(expr: Extract<Expr, { kind: "select" }>): Range {
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    this.#paths.set(expr, [...this.#pathOf(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    return kind === "map" || kind === "object" ? add(operand, fixed(1)) : operand;
  }

  #call(expr: Call): Range {
    if (expr.name === "dyn") {
      const cost = add(fixed(1), this.cost(expr.args[0]!));
      this.#copySizes(expr, expr.args[0]!);
      return cost;
    }
    const target = expr.qualified === undefined ? expr.target : undefined;
    const costs = expr.args.map((arg) => this.cost(arg));
    const targetCost = target ? this.cost(target) : fixed(0);
    const overloads =
      expr.name === operators.optionalSelect ? [{ id: "select_optional_field" }] : (expr.overloads ?? []);
    if (expr.name === operators.and || expr.name === operators.or) {
      return { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max };
    }
    if (expr.name === operators.conditional) return this.#conditional(expr, costs);
    if (overloads.length === 0) return fixed(0);
    const operands = (target ? [target, ...expr.args] : expr.args).map((arg) => this.#operand(arg));
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const { id } of overloads) {
      const estimate = estimateCall(expr.qualified ?? expr.name, id, operands);
      cost = cost ? union(cost, estimate.cost) : estimate.cost;
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      size = this.#sizeOfIndexed(expr, id) ?? size ?? this.#sizeOf(expr);
      if (id.startsWith("add_")) this.#joinEntries(expr);
    }
    if (size) this.#sizes.set(expr, size);
    return add(targetCost, cost!, ...costs);
  }

  #sizeOfIndexed(expr: Call, overload: string): Range | undefined {
    if (overload !== "index_list" && overload !== "index_map") return undefined;
    const [container] = expr.args;
    this.#paths.set(expr, [...this.#pathOf(container!), overload === "index_list" ? "@items" : "@values"]);
    return this.#entryOf(container!)?.value;
  }

  #joinEntries(expr: Call): void {
    const [left, right] = expr.args.map((arg) => this.#entryOf(arg));
    if (left && right) this.#entries.set(expr, unionOf(left, right));
  }

  #conditional(expr: Call, costs: readonly Range[]): Range {
    const [, whenTrue, whenFalse] = expr.args as [Expr, Expr, Expr];
    const [first, second] = [this.#entryOf(whenTrue), this.#entryOf(whenFalse)];
    if (first && second) this.#entries.set(expr, unionOf(first, second));
    this.#sizes.set(expr, union(this.#sizeOf(whenTrue) ?? unknown, this.#sizeOf(whenFalse) ?? unknown));
    return add(costs[0]!, union(costs[1]!, costs[2]!));
  }

  #list(expr: Extract<Expr, { kind: "list" }>): Range {
    const costs = expr.items.map((item) => this.cost(item));
    const value = unionAll(expr.items.map((item) => this.#sizeOf(item) ?? unknown));
    this.#entries.set(expr, { isList: true, key: fixed(1), value });
    return add(fixed(10), ...costs);
  }

  #map(expr: Extract<Expr, { kind: "map" }>): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = unionAll(expr.entries.map((entry) => this.#sizeOf(entry.key) ?? unknown));
    const value = unionAll(expr.entries.map((entry) => this.#sizeOf(entry.value) ?? unknown));
    this.#entries.set(expr, { isList: false, key, value });
    return add(fixed(30), ...costs);
  }

  #comprehension(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.accuInit));
    this.#push(expr.accuVar, {
      path: this.#pathOf(expr.accuInit),
      size: this.#sizeOf(expr.accuInit),
      entry: this.#entryOf(expr.accuInit),
    });
    const variables = this.#iterationVariables(expr);
    for (const [name, variable] of variables) this.#push(name, variable);
    const each = add(this.cost(expr.condition), this.cost(expr.step));
    for (const [name] of variables) this.#pop(name);
    const after = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const count = this.#sizeOf(expr.range) ?? unknown;
    this.#sizeOfFold(expr, count);
    return add(before, after, multiply(count, each));
  }

  #sizeOfFold(expr: Comprehension, count: Range): void {
    if (expr.accuInit.kind === "literal") {
      const size = this.#sizeOf(expr.accuInit);
      if (size) this.#sizes.set(expr, size);
    } else if (expr.accuInit.kind === "list" || expr.accuInit.kind === "map") {
      this.#sizes.set(expr, count);
      const entry = this.#entryOf(expr.step);
      if (entry) this.#entries.set(expr, entry);
    }
  }

  #iterationVariables({ range, iterVar, iterVar2 }: Comprehension): [string, LocalVariable][] {
    const entry = this.#entryOf(range);
    const isList = entry ? entry.isList : range.type?.kind === "list";
    const path = this.#pathOf(range);
    const key: LocalVariable = {
      path: [...path, isList ? "@indices" : "@keys"],
      size: entry?.key,
      entry: undefined,
    };
    const value: LocalVariable = {
      path: [...path, isList ? "@items" : "@values"],
      size: entry?.value,
      entry: undefined,
    };
    if (iterVar2 === undefined) return [[iterVar, isList ? value : key]];
    return [
      [iterVar, sharesArray(path.length) ? { ...key, path: value.path } : key],
      [iterVar2, value],
    ];
  }

  /** A binding (`cel.bind`) is a fold without iterations: only its result has a cost. */
  #binding(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.accuInit));
    this.#push(expr.accuVar, {
      path: this.#pathOf(expr.accuInit),
      size: this.#sizeOf(expr.accuInit),
      entry: this.#entryOf(expr.accuInit),
    });
    const result = this.cost(expr.result);
    this.#pop(expr.accuVar);
    this.#copySizes(expr, expr.result);
    return add(before, result);
  }

  #operand(expr: Expr): Operand {
    const path = this.#pathOf(expr);
    const known = path.length > 0 && path[0] !== accumulator ? path : undefined;
    return {
      expr,
      type: expr.type ?? types.dyn,
      path: known,
      size: this.#sizeOf(expr),
      itemSize: () => (known && this.#declared([...known, "@items"])) ?? unknown,
    };
  }

  #sizeOf(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr) ?? this.#declared(this.#pathOf(expr));
    if (known) return known;
    if (isScalar(expr.type)) return fixed(1);
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entryOf(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entry : undefined);
  }

  /** Returns the bound of the schema for a path below `self` or `oldSelf`. */
  #declared(path: readonly string[]): Range | undefined {
    if (path.length === 0) return undefined;
    let node: DeclType | undefined = this.#root;
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") node = node.element;
      else if (step === "@keys") node = node.key;
      else node = node.fields?.get(step);
      if (!node) return undefined;
    }
    return { min: 0, max: node.maxElements };
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    const entry = this.#entryOf(from);
    if (size) this.#sizes.set(to, size);
    if (entry) this.#entries.set(to, entry);
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, variable: LocalVariable): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), variable]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

/**
 * A bug in cel-go: the path of the value overwrites that of the key, unless appending to their slice reallocates it.
 * Capacities of slices are powers of two. We must reject the same CRDs.
 */
function sharesArray(length: number): boolean {
  return length > 0 && !Number.isInteger(Math.log2(length));
}

function isBinding({ range, condition, accuVar }: Comprehension): boolean {
  const isNeverRun = condition.kind === "literal" && condition.value === false;
  return range.kind === "list" && range.items.length === 0 && isNeverRun && accuVar !== accumulator;
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === "list") return fixed(expr.items.length);
  if (expr.kind === "map") return fixed(expr.entries.length);
  if (expr.kind !== "literal") return undefined;
  if (typeof expr.value === "string") return fixed(textLength(expr.value));
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

function isScalar(type: CelType | undefined): boolean {
  if (!type) return false;
  if (isOptional(type)) return isScalar(type.params[0]);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind) && !type.isWrapper;
}

function unionOf(a: EntrySize, b: EntrySize): EntrySize {
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function unionAll(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? fixed(0) : ranges.reduce(union);
}
