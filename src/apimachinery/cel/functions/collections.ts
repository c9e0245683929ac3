import {
  CelDouble,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  NativeMap,
  type Value,
  isEqualValue,
  formatKey,
  normalizeKey,
  numberOf,
  textLength,
} from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import { anyType, declare, listOf, mapOf, method, optionalOf, typed } from "./function.ts";

const { bool, bytes, int, string } = typed;
const item = anyType("A");
const value = anyType("B");
const list = listOf(item);
const map = mapOf(item, value);
const optionalItem = optionalOf(item);
const optionalValue = optionalOf(value);
const optionalList = optionalOf(list);
const optionalMap = optionalOf(map);
const sizeOf = (container: CelList | CelMap): number => container.size;

/** Indexing, membership and size. */
export const collections = [
  declare("_[_]", "index_list", [list, int], item, index),
  declare("_[_]", "index_map", [map, item], value, index),
  declare("_[_]", "optional_list_index_int", [optionalList, int], optionalItem, optionalIndex),
  declare("_[_]", "optional_map_index_value", [optionalMap, item], optionalValue, optionalIndex),
  declare("_[?_]", "list_optindex_optional_int", [list, int], optionalItem, optionalIndex),
  declare("_[?_]", "optional_list_optindex_optional_int", [optionalList, int], optionalItem, optionalIndex),
  declare("_[?_]", "map_optindex_optional_value", [map, item], optionalValue, optionalIndex),
  declare("_[?_]", "optional_map_optindex_optional_value", [optionalMap, item], optionalValue, optionalIndex),
  declare("@in", "in_list", [item, list], bool, isIn),
  declare("@in", "in_map", [item, map], bool, isIn),
  declare("size", "size_bytes", [bytes], int, (a) => a.length),
  method("size", "bytes_size", [bytes], int, (a) => a.length),
  declare("size", "size_list", [list], int, sizeOf),
  method("size", "list_size", [list], int, sizeOf),
  declare("size", "size_map", [map], int, sizeOf),
  method("size", "map_size", [map], int, sizeOf),
  declare("size", "size_string", [string], int, textLength),
  method("size", "string_size", [string], int, textLength),
  declare("cel.@mapInsert", "@mapInsert_map_map", [map, map], map, insertInto),
  declare("cel.@mapInsert", "@mapInsert_map_key_value", [map, item, value], map, (target, key, entry) =>
    insertInto(target, new NativeMap([[key, entry]])),
  ),
];

/** Evaluates `container[key]`. */
export function index(container: Value, key: Value): Value {
  const found = lookUp(container, key);
  if (found !== undefined) return found;
  if (container instanceof CelList) throw new EvalError(`index out of bounds: ${formatKey(key)}`);
  throw new EvalError(`no such key: ${formatKey(key)}`);
}

/** Returns the value of a key, or undefined; a key of a wrong type is an error. */
export function lookUp(container: Value, key: Value): Value | undefined {
  if (container instanceof CelList) return itemAt(container, key);
  if (container instanceof CelMap) {
    if (normalizeKey(key) === undefined && !(key instanceof CelDouble))
      throw new EvalError("unsupported key type");
    return container.find(key);
  }
  if (container instanceof CelObject && typeof key === "string") return container.find(key);
  return undefined;
}

/** If their static type is dyn, whole doubles and uints are valid indexes, too. */
function itemAt(container: CelList, key: Value): Value | undefined {
  const position = numberOf(key);
  if (position === undefined || (key instanceof CelDouble && !Number.isInteger(key.value))) {
    throw new EvalError(`unsupported index type '${typeof key === "string" ? "string" : "double"}' in list`);
  }
  return position >= 0 && position < container.size ? container.at(Number(position)) : undefined;
}

/** `item in list`, `key in map`. */
export function isIn(element: Value, container: CelList | CelMap): boolean {
  if (container instanceof CelMap) return container.find(element) !== undefined;
  for (let at = 0; at < container.size; at++) if (isEqualValue(element, container.at(at))) return true;
  return false;
}

/** Adds an entry to the map of a comprehension. */
function insertInto(target: CelMap, entries: CelMap): CelMap {
  const result =
    target instanceof NativeMap
      ? target
      : new NativeMap(target.keys().map((key) => [key, target.find(key)!]));
  for (const key of entries.keys()) result.insert(key, entries.find(key)!);
  return result;
}

/** Evaluates `container[?key]`, also of an optional container. */
export function optionalIndex(container: Value, key: Value): CelOptional {
  const inner = container instanceof CelOptional ? container.value : container;
  if (inner === undefined) return CelOptional.none;
  const found = lookUp(inner, key);
  return found === undefined ? CelOptional.none : new CelOptional(found);
}
