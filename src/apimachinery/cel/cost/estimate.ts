import { type Call, type Comprehension, type Expr, accumulator, operators } from "../ast.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { type CelType, formatType, isOptional, types } from "../types/type.ts";
import { textLength } from "../values/value.ts";
import {
  cheapFunctions,
  constructionCost,
  perCharacter,
  perPatternCharacter,
  withCost,
} from "./runtime-cost.ts";

/** The maximum of uint64, at which sums and products saturate. */
export const unbounded = 2 ** 64;

/**
 * Estimates the maximum cost of one evaluation of a checked expression, given the bounds in the schema. The API server
 * rejects a CRD by this number, so the result is cel-go's, including its bugs.
 */
export function estimateCost(expr: Expr, root: DeclType): number {
  return new Estimator(root).cost(expr).max;
}

/** The minimum and maximum of a size or a cost. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** Any size. */
const unknown: Range = { min: 0, max: unbounded };

/** The sizes of keys and values of a list or map that the expression creates. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

/** A variable of a comprehension; its path is that of the list or map over which it iterates. */
interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

/** Estimates the nodes of one tree, and remembers their paths in the schema and their sizes. */
class Estimator {
  readonly #root: DeclType;
  /** The path of a node's value below a variable: `self`, `spec`, `@items`. */
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
        return add(fixed(constructionCost.struct), ...expr.fields.map(({ value }) => this.cost(value)));
      case "comprehension":
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #select(expr: Extract<Expr, { kind: "select" }>): Range {
    if (expr.qualified !== undefined) {
      // A name such as `google.protobuf.Timestamp`, whose size is taken for that of a variable.
      this.#paths.set(expr, [expr.qualified]);
      return fixed(1);
    }
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
      size = this.#sizeOfElement(expr, id) ?? size ?? this.#sizeOf(expr);
      if (id.startsWith("add_")) this.#joinEntries(expr);
    }
    if (size) this.#sizes.set(expr, size);
    return add(targetCost, cost!, ...costs);
  }

  #sizeOfElement(expr: Call, overload: string): Range | undefined {
    if (overload !== "index_list" && overload !== "index_map") return undefined;
    const [container] = expr.args;
    this.#paths.set(expr, [...this.#pathOf(container!), overload === "index_list" ? "@items" : "@values"]);
    return this.#entryOf(container!)?.value;
  }

  #joinEntries(expr: Call): void {
    const [left, right] = expr.args.map((arg) => this.#entryOf(arg));
    if (left && right) this.#entries.set(expr, unionOfEntries(left, right));
  }

  #conditional(expr: Call, costs: readonly Range[]): Range {
    const [, whenTrue, whenFalse] = expr.args as [Expr, Expr, Expr];
    const [first, second] = [this.#entryOf(whenTrue), this.#entryOf(whenFalse)];
    if (first && second) this.#entries.set(expr, unionOfEntries(first, second));
    this.#sizes.set(expr, union(this.#sizeOf(whenTrue) ?? unknown, this.#sizeOf(whenFalse) ?? unknown));
    return add(costs[0]!, union(costs[1]!, costs[2]!));
  }

  #list(expr: Extract<Expr, { kind: "list" }>): Range {
    const costs = expr.items.map((item) => this.cost(item));
    const value = unionAll(expr.items.map((item) => this.#sizeOf(item) ?? unknown));
    this.#entries.set(expr, { isList: true, key: fixed(1), value });
    return add(fixed(constructionCost.list), ...costs);
  }

  #map(expr: Extract<Expr, { kind: "map" }>): Range {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = unionAll(expr.entries.map((entry) => this.#sizeOf(entry.key) ?? unknown));
    const value = unionAll(expr.entries.map((entry) => this.#sizeOf(entry.value) ?? unknown));
    this.#entries.set(expr, { isList: false, key, value });
    return add(fixed(constructionCost.map), ...costs);
  }

  #comprehension(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.accuInit));
    this.#pushAccumulator(expr);
    const variables = this.#iterationVariables(expr);
    for (const [name, variable] of variables) this.#push(name, variable);
    const perIteration = add(this.cost(expr.condition), this.cost(expr.step));
    for (const [name] of variables) this.#pop(name);
    const after = this.cost(expr.result);
    this.#pop(expr.accuVar);
    const count = this.#sizeOf(expr.range) ?? unknown;
    this.#setFoldSize(expr, count);
    return add(before, after, multiply(count, perIteration));
  }

  #setFoldSize(expr: Comprehension, count: Range): void {
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
    const variable = (step: string, size: Range | undefined): LocalVariable => {
      return { path: [...path, step], size, entry: undefined };
    };
    const key = variable(isList ? "@indices" : "@keys", entry?.key);
    const value = variable(isList ? "@items" : "@values", entry?.value);
    if (iterVar2 === undefined) return [[iterVar, isList ? value : key]];
    return [
      [iterVar, sharesArray(path.length) ? { ...key, path: value.path } : key],
      [iterVar2, value],
    ];
  }

  /** A binding (`cel.bind`) is a fold without iterations: only its result has a cost. */
  #binding(expr: Comprehension): Range {
    const before = add(this.cost(expr.range), this.cost(expr.accuInit));
    this.#pushAccumulator(expr);
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

  #pushAccumulator({ accuVar, accuInit: init }: Comprehension): void {
    this.#push(accuVar, { path: this.#pathOf(init), size: this.#sizeOf(init), entry: this.#entryOf(init) });
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

function isBinding({ range, condition, accuVar }: Comprehension): boolean {
  const isNeverRun = condition.kind === "literal" && condition.value === false;
  return range.kind === "list" && range.items.length === 0 && isNeverRun && accuVar !== accumulator;
}

/**
 * A bug in cel-go: the path of the value overwrites that of the key, unless appending to their slice reallocates it.
 * Capacities of slices are powers of two. We must reject the same CRDs.
 */
function sharesArray(length: number): boolean {
  return length > 0 && !Number.isInteger(Math.log2(length));
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

function unionOfEntries(a: EntrySize, b: EntrySize): EntrySize {
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) };
}

function unionAll(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? fixed(0) : ranges.reduce(union);
}

/** An argument of a call, for the cost estimate. */
interface Operand {
  readonly expr: Expr;
  readonly type: CelType;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  /** The size of a list's items; unknown if the schema has no bound. */
  itemSize(): Range;
}

/** The cost of a call without its arguments, and the size of its result, if known. */
interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** Estimates the cost of a call by function and overload; one that no table has costs 1. */
function estimateCall(name: string, overload: string, operands: readonly Operand[]): CallEstimate {
  const [first, second] = operands;
  const byOverload =
    estimatesByOverload[overload]?.(operands, overload) ?? estimateSort(overload, first, second);
  if (byOverload) return byOverload;
  if (name === "_==_") return { cost: estimateEquality(operands) ?? compareCost(first, second) };
  const byName = estimatesByName[name]?.(operands, overload);
  if (byName) return byName;
  return comparesContent(overload) ? { cost: compareCost(first, second) } : { cost: fixed(1) };
}

/** Estimates a call from its operands; the target of a method is the first. */
type Estimate = (operands: readonly Operand[], overload: string) => CallEstimate;

const readFirst: Estimate = ([first]) => ({ cost: read(first) });
const readAndKeep: Estimate = ([first]) => ({ cost: read(first), size: sizeOf(first) });
const constant: Estimate = () => ({ cost: fixed(1) });

/** Traverses all items; comparing or adding strings reads them. */
const visitItems: Estimate = ([list]) => {
  const kind = list?.type.params[0]?.kind;
  if (kind === undefined) return { cost: read(list) };
  const isText = kind === "string" || kind === "bytes";
  const perItem = isText ? add(fixed(1), scale(list!.itemSize(), perCharacter)) : fixed(1);
  return { cost: multiply(sizeOf(list), perItem) };
};

const matchPattern: Estimate = ([text, pattern]) => {
  const reading = scale(add(sizeOf(text), fixed(1)), perCharacter);
  return { cost: multiply(reading, scale(sizeOf(pattern), perPatternCharacter)) };
};

const findMatches: Estimate = (operands, overload) => ({
  ...matchPattern(operands, overload),
  size: { min: 0, max: sizeOf(operands[0]).max },
});

/** The length of the longest pattern that Kubernetes assumes for a named format. */
const maxFormatPattern = 128;

/** The bytes of an IPv4 or IPv6 address, and of two of them. */
const addressBytes: Range = { min: 4, max: 16 };
const twoAddresses: Range = { min: 8, max: 32 };

/** Functions of the Kubernetes and strings libraries, by name. */
const estimatesByName: Readonly<Record<string, Estimate>> = {
  ...withCost(cheapFunctions, constant),
  ...withCost("isSorted sum max min indexOf lastIndexOf", visitItems),
  ...withCost("url lowerAscii upperAscii substring trim", readAndKeep),
  ...withCost("cidr isIP isCIDR ip quantity isQuantity semver isSemver", readFirst),
  ...withCost("find findAll", findMatches),
  replace: estimateReplace,
  split: estimateSplit,
  join: estimateJoin,
  "ip.isCanonical": ([first]) => ({ cost: scale(sizeOf(first), 2 * perCharacter) }),
  validate: ([, text]) => ({ cost: scale(read(text), maxFormatPattern * perPatternCharacter) }),
  containsIP: ([, other], overload) => ({
    cost: add(scale(twoAddresses, perCharacter), readIfText(other, overload)),
  }),
  containsCIDR: ([, other], overload) => ({
    cost: add(
      scale(twoAddresses, perCharacter),
      scale(addressBytes, perCharacter),
      fixed(1),
      readIfText(other, overload),
    ),
  }),
};

const readSecond: Estimate = ([, second]) => ({ cost: read(second) });

/** Reads a text, and makes another whose size depends on the first. */
const convert =
  (resize: (size: Range) => Range): Estimate =>
  ([first]) => ({ cost: read(first), size: resize(sizeOf(first)) });

const addTexts: Estimate = ([first, second]) => {
  const size = add(sizeOf(first), sizeOf(second));
  return { cost: scale(size, perCharacter), size };
};

/** Compares every item of one list with every item of another. */
const compareAll =
  (factor: number): Estimate =>
  ([first, second]) => ({
    cost: add(scale(multiply(sizeOf(first), sizeOf(second)), factor), fixed(1)),
  });

const copyList: Estimate = ([list]) => allocate(1, sizeOf(list));

/** The costs of creating a list and of calling a function. */
const listOverhead = fixed(constructionCost.list + 1);

/** Functions of the standard, lists and sets libraries, by overload. */
const estimatesByOverload: Readonly<Record<string, Estimate>> = {
  // A CIDR has a method with the name of the function that parses an address.
  cidr_ip: constant,
  // Strings and lists both have these two functions; on strings they read the text.
  ...withCost("string_index_of_string string_index_of_string_int", readFirst),
  ...withCost("string_last_index_of_string string_last_index_of_string_int", readFirst),
  string_format: readFirst,
  string_to_bytes: convert(({ min, max }) => ({ min, max: max * 4 })),
  bytes_to_string: convert(({ min, max }) => ({ min: Math.floor(min / 4), max })),
  strings_quote: convert(({ min, max }) => ({ min: min + 2, max: max * 2 + 2 })),
  ...withCost("starts_with_string ends_with_string", readSecond),
  in_list: ([, list]) => ({ cost: sizeOf(list) }),
  matches_string: matchPattern,
  contains_string: ([text, part]) => ({ cost: multiply(read(text), read(part)) }),
  add_list: ([first, second]) => ({ cost: fixed(1), size: add(sizeOf(first), sizeOf(second)) }),
  ...withCost("add_string add_bytes", addTexts),
  ...withCost("list_sets_contains_list list_sets_intersects_list", compareAll(1)),
  list_sets_equivalent_list: compareAll(2),
  list_slice: ([list, start, end]) =>
    allocate(1, fixed(wrapUint64(literalNumber(end, sizeOf(list).max) - literalNumber(start, 0)))),
  ...withCost("list_flatten list_reverse", copyList),
  list_flatten_int: ([list, depth]) => allocate(literalNumber(depth, unbounded), sizeOf(list)),
  lists_range: ([count]) => allocate(1, fixed(literalNumber(count, unbounded))),
  list_distinct: ([list]) => allocate(2, multiply(sizeOf(list), sizeOf(list))),
};

/** The cost of parsing the text of a network; a value that is parsed already costs nothing. */
function readIfText(operand: Operand | undefined, overload: string): Range {
  return overload.endsWith("_string") ? read(operand) : fixed(0);
}

/** The result is longest if either no part is replaced, or all the text consists of parts; and likewise shortest. */
function estimateReplace([text, from, to]: readonly Operand[]): CallEstimate {
  const [whole, part, replacement] = [sizeOf(text), sizeOf(from), sizeOf(to)];
  const longest = countParts(part.min, whole.max, replacement.max <= part.min);
  const shortest = countParts(part.max, whole.min, part.max <= replacement.min);
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  return { cost: scale(whole, 2 * perCharacter), size: add(multiply(count, replacement), kept) };
}

/** Returns how many parts of a length are replaced in a text (none if all is kept), and how many characters are kept. */
function countParts(part: number, whole: number, keepsAll: boolean): { count: number; kept: number } {
  if (part === 0) return { count: whole + 1, kept: whole };
  return keepsAll ? { count: 0, kept: whole } : { count: Math.ceil(whole / part), kept: 0 };
}

function estimateSplit([text, , limit]: readonly Operand[]): CallEstimate {
  const size = sizeOf(text);
  const expr = limit?.expr;
  const maxParts = expr?.kind === "literal" && typeof expr.value === "number" ? expr.value : size.max;
  return { cost: scale(size, 2 * perCharacter), size: { min: 0, max: maxParts } };
}

function estimateJoin([list, separator]: readonly Operand[]): CallEstimate {
  const count = sizeOf(list);
  const hasItems = list?.type.params[0] !== undefined;
  let size = hasItems ? multiply(count, list.itemSize()) : { min: 0, max: 0 };
  if (separator) {
    const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
    size = add(size, multiply(sizeOf(separator), gaps));
  }
  return { cost: scale(size, perCharacter), size };
}

/** Values of library types are compared at a fixed cost, or by their short text. */
function estimateEquality([left, right]: readonly Operand[]): Range | undefined {
  if (!left || !right || formatType(left.type) !== formatType(right.type)) return undefined;
  switch (left.type.name) {
    case "net.IP":
    case "net.CIDR":
    case "kubernetes.Quantity":
    case "kubernetes.Semver":
      return fixed(1);
    case "kubernetes.NamedFormat":
      return scale({ min: 1, max: 64 }, perCharacter);
    case "kubernetes.URL":
      return scale({ min: 1, max: right.size?.max ?? 1 }, perCharacter);
    default:
      return undefined;
  }
}

/** Sorting compares every item with every other one, strings character by character. */
function estimateSort(
  overload: string,
  first: Operand | undefined,
  second: Operand | undefined,
): CallEstimate | undefined {
  const match = /^list_(\w+)_sort(ByAssociatedKeys)?$/.exec(overload);
  if (!match) return undefined;
  const isText = match[1] === "string" || match[1] === "bytes";
  const size = sizeOf(match[2] === undefined ? first : second);
  return allocate(isText ? 2 + perCharacter : 2, multiply(size, size));
}

function allocate(factor: number, size: Range): CallEstimate {
  return { cost: add(scale(size, factor), listOverhead), size };
}

/** Returns the size of an operand; unknown if it has no bound. */
function sizeOf(operand: Operand | undefined): Range {
  return operand?.size ?? unknown;
}

/** The cost of reading an operand once. */
function read(operand: Operand | undefined): Range {
  return scale(sizeOf(operand), perCharacter);
}

/** Exactly one value. */
function fixed(value: number): Range {
  return { min: value, max: value };
}

function add(...ranges: readonly Range[]): Range {
  let min = 0;
  let max = 0;
  for (const range of ranges) {
    min += range.min;
    max += range.max;
  }
  return { min: Math.min(min, unbounded), max: Math.min(max, unbounded) };
}

function multiply(a: Range, b: Range): Range {
  return { min: Math.min(a.min * b.min, unbounded), max: Math.min(a.max * b.max, unbounded) };
}

/** Multiplies by a factor and rounds up. */
function scale({ min, max }: Range, factor: number): Range {
  return {
    min: Math.min(Math.ceil(min * factor), unbounded),
    max: Math.min(Math.ceil(max * factor), unbounded),
  };
}

/** The smallest range that contains both. */
function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Returns the value of an argument that is an int literal, at least zero; the fallback for any other argument. */
function literalNumber(operand: Operand | undefined, fallback: number): number {
  const expr = operand?.expr;
  const isInt =
    expr?.kind === "literal" && (typeof expr.value === "number" || typeof expr.value === "bigint");
  return isInt ? Math.max(Number(expr.value), 0) : fallback;
}

/** A difference below zero wraps around, as in uint64. */
function wrapUint64(value: number): number {
  return value < 0 ? unbounded + value : value;
}

/** Returns true for comparisons that read strings, bytes or any values. */
function comparesContent(overload: string): boolean {
  if (overload === "equals" || overload === "not_equals") return true;
  return /^(?:less|greater)(?:_equals)?_(?:string|bytes)$/.test(overload);
}

/** The cost of a comparison depends on the smaller value. */
function compareCost(first: Operand | undefined, second: Operand | undefined): Range {
  const max = Math.min(sizeOf(first).max, sizeOf(second).max);
  return scale({ min: max > 0 ? 1 : 0, max }, perCharacter);
}
