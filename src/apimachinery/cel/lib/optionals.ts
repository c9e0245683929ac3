import type { FunctionDecl } from "../functions/function.ts";
import { anyType, declare, listOf, method, optionalOf, typed } from "../functions/function.ts";
import {
  CelDouble,
  CelList,
  CelMap,
  CelOptional,
  CelUint,
  NativeList,
  type Value,
  WrittenObject,
} from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";

const { bool } = typed;
const item = anyType("V");
const optional = optionalOf(item);
const list = listOf(item);

/** The functions of optional values. Selecting and indexing with a question mark is part of the language. */
export const optionals: readonly FunctionDecl[] = [
  declare("optional.of", "optional_of", [item], optional, (value) => new CelOptional(value)),
  declare("optional.ofNonZeroValue", "optional_ofNonZeroValue", [item], optional, (value) =>
    isZero(value) ? CelOptional.none : new CelOptional(value),
  ),
  declare("optional.none", "optional_none", [], optional, () => CelOptional.none),
  method("value", "optional_value", [optional], item, valueOf),
  method("hasValue", "optional_hasValue", [optional], bool, ({ isPresent }) => isPresent),
  method("or", "optional_or_optional", [optional, optional], optional, (a, b) => (a.isPresent ? a : b)),
  method("orValue", "optional_orValue_value", [optional, item], item, ({ value }, other) =>
    value === undefined ? other : value,
  ),
  declare("optional.unwrap", "optional_unwrap", [listOf(optional)], list, unwrap),
  method("unwrapOpt", "optional_unwrapOpt", [listOf(optional)], list, unwrap),
  method("first", "list_first", [list], optional, (from) =>
    from.size === 0 ? CelOptional.none : new CelOptional(from.at(0)),
  ),
  method("last", "list_last", [list], optional, (from) =>
    from.size === 0 ? CelOptional.none : new CelOptional(from.at(from.size - 1)),
  ),
];

function valueOf({ value }: CelOptional): Value {
  if (value === undefined) throw new EvalError("optional.none() dereference");
  return value;
}

function unwrap(from: CelList): CelList {
  const present = from.toArray().flatMap((element) => {
    if (!(element instanceof CelOptional)) throw new EvalError("value is not optional");
    return element.value === undefined ? [] : [element.value];
  });
  return new NativeList(present);
}

/** Returns true for the zero value of a type, for which `optional.ofNonZeroValue` has no value. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (value instanceof CelUint || value instanceof CelDouble) return value.value === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof WrittenObject) return value.size === 0;
  // As in Go, the zero of times is the beginning of the year 1.
  if (value instanceof CelTimestamp) return value.nanos === -62_135_596_800_000_000_000n;
  return value instanceof CelDuration && value.nanos === 0n;
}
