import { arithmetic } from "../functions/arithmetic.ts";
import { compare } from "../functions/comparison.ts";
import { type FunctionDecl, anyType, declare, listOf, method, typed } from "../functions/function.ts";
import { type CelType } from "../types/type.ts";
import type { Int, Value } from "../values/value.ts";
import { CelDouble, CelList, CelUint, NativeList, isEqualValue } from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelDuration } from "../values/time.ts";

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = typed;
const item = anyType("T");
const list = listOf(item);

/** The types that have an order, by their names in overloads. */
const comparable: readonly (readonly [string, CelType])[] = [
  ["int", int],
  ["uint", uint],
  ["double", double],
  ["bool", bool],
  ["duration", duration],
  ["timestamp", timestamp],
  ["string", string],
  ["bytes", bytes],
];

/** The types that `sum` adds, with their zeros. */
const summable: readonly (readonly [string, CelType, Value])[] = [
  ["int", int, 0],
  ["uint", uint, new CelUint(0)],
  ["double", double, new CelDouble(0)],
  ["duration", duration, new CelDuration(0n)],
];

/** The functions of the Kubernetes lists library, and version 3 of the lists library. `sortBy` is a macro. */
export const lists: readonly FunctionDecl[] = [
  ...comparable.flatMap(([name, type]) => {
    const ofType = listOf(type);
    return [
      method("isSorted", `list_${name}_is_sorted_bool`, [ofType], bool, isSorted),
      method("max", `list_${name}_max_${name}`, [ofType], type, extreme("max", 1)),
      method("min", `list_${name}_min_${name}`, [ofType], type, extreme("min", -1)),
      method("sort", `list_${name}_sort`, [ofType], ofType, sort),
      method("@sortByAssociatedKeys", `list_${name}_sortByAssociatedKeys`, [list, ofType], list, sortBy),
    ];
  }),
  ...summable.map(([name, type, zero]) =>
    method("sum", `list_${name}_sum_${name}`, [listOf(type)], type, (values) =>
      values.toArray().reduce(add, zero),
    ),
  ),
  method("indexOf", "list_a_index_of_int", [list, item], int, indexOf),
  method("lastIndexOf", "list_a_last_index_of_int", [list, item], int, lastIndexOf),
  method("slice", "list_slice", [list, int, int], list, slice),
  method("flatten", "list_flatten", [listOf(list)], list, flatten),
  method("flatten", "list_flatten_int", [listOf(dyn), int], listOf(dyn), flatten),
  declare("lists.range", "lists_range", [int], listOf(int), range),
  method("distinct", "list_distinct", [list], list, distinct),
  method("reverse", "list_reverse", [list], list, (values) => new NativeList(values.toArray().toReversed())),
];

function isSorted(values: CelList): boolean {
  const all = values.toArray();
  return all.every((value, index) => index === 0 || !(compare(all[index - 1]!, value) > 0));
}

/** Returns a function for the minimum (`sign` -1) or the maximum (`sign` 1) of a list. */
function extreme(name: string, sign: number): (values: CelList) => Value {
  return (values) => {
    if (values.size === 0) throw new EvalError(`${name} called on empty list`);
    return values.toArray().reduce((best, value) => (compare(value, best) * sign > 0 ? value : best));
  };
}

function sort(values: CelList): CelList {
  return sortBy(values, values);
}

/** Sorts values by their associated keys; keys of different types can't be compared. */
function sortBy(values: CelList, keys: CelList): CelList {
  if (values.size !== keys.size) {
    throw new EvalError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${values.size} and ${keys.size} elements respectively`,
    );
  }
  const order = keys.toArray().map((key, index) => ({ key, value: values.at(index) }));
  return new NativeList(order.sort((a, b) => compare(a.key, b.key)).map(({ value }) => value));
}

/** The overloads of `+`, with which `sum` adds two values. */
const additions = arithmetic.filter(({ name }) => name === "_+_").flatMap(({ overloads }) => overloads);

function add(a: Value, b: Value): Value {
  const fitting = additions.find((candidate) => candidate.accepts([a, b]));
  if (!fitting) throw new EvalError("no such overload");
  return fitting.apply([a, b]);
}

function indexOf(values: CelList, wanted: Value): Int {
  return values.toArray().findIndex((value) => isEqualValue(value, wanted));
}

function lastIndexOf(values: CelList, wanted: Value): Int {
  return values.toArray().findLastIndex((value) => isEqualValue(value, wanted));
}

function slice(values: CelList, start: Int, end: Int): CelList {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) throw new EvalError(`${range}, negative indexes not supported`);
  if (start > end) throw new EvalError(`${range}, start index must be less than or equal to end index`);
  if (end > values.size) throw new EvalError(`${range}, list is length ${values.size}`);
  return new NativeList(values.toArray().slice(Number(start), Number(end)));
}

function flatten(values: CelList, depth: Int = 1): CelList {
  if (depth < 0) throw new EvalError("level must be non-negative");
  const flat = (from: CelList, levels: number): Value[] =>
    from
      .toArray()
      .flatMap((value) => (value instanceof CelList && levels > 0 ? flat(value, levels - 1) : [value]));
  return new NativeList(flat(values, Number(depth)));
}

/** A longer list would need too much memory: it is created before its cost is charged. */
const longestRange = 10_000_000;

function range(count: Int): CelList {
  if (count > longestRange) throw new EvalError("range is too long");
  return new NativeList(Array.from({ length: Math.max(Number(count), 0) }, (_, index) => index));
}

function distinct(values: CelList): CelList {
  const kept: Value[] = [];
  for (const value of values) if (!kept.some((known) => isEqualValue(known, value))) kept.push(value);
  return new NativeList(kept);
}
