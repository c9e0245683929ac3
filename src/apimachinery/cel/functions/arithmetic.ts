import type { Int, Value } from "../values/value.ts";
import {
  CelDouble,
  CelList,
  CelUint,
  NativeList,
  checkInt,
  checkUint,
  toInt,
  minInt,
} from "../values/value.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";
import { EvalError } from "../values/eval-error.ts";
import { anyType, declare, listOf, typed } from "./function.ts";

const { bytes, double, duration, int, string, timestamp, uint } = typed;
const items = listOf(anyType("A"));

const uints = (name: string, id: string, apply: (a: bigint, b: bigint) => bigint) =>
  declare(
    name,
    id,
    [uint, uint],
    uint,
    (a, b) => new CelUint(checkUint(apply(BigInt(a.value), BigInt(b.value)))),
  );

const doubles = (name: string, id: string, apply: (a: number, b: number) => number) =>
  declare(name, id, [double, double], double, (a, b) => new CelDouble(apply(a.value, b.value)));

const ints = (name: string, id: string, apply: (a: Int, b: Int) => Int) =>
  declare(name, id, [int, int], int, apply);

/** The operators `+ - * / %` and negation. Results out of range for int64 and uint64 are errors. */
export const arithmetic = [
  declare("_+_", "add_bytes", [bytes, bytes], bytes, (a, b) => new Uint8Array(Buffer.concat([a, b]))),
  doubles("_+_", "add_double", (a, b) => a + b),
  declare("_+_", "add_duration_duration", [duration, duration], duration, (a, b) =>
    CelDuration.of(a.nanos + b.nanos),
  ),
  declare("_+_", "add_duration_timestamp", [duration, timestamp], timestamp, (a, b) =>
    CelTimestamp.of(a.nanos + b.nanos),
  ),
  declare("_+_", "add_timestamp_duration", [timestamp, duration], timestamp, (a, b) =>
    CelTimestamp.of(a.nanos + b.nanos),
  ),
  ints("_+_", "add_int64", addInt),
  declare("_+_", "add_list", [items, items], items, joinLists),
  declare("_+_", "add_string", [string, string], string, (a, b) => a + b),
  uints("_+_", "add_uint64", (a, b) => a + b),
  doubles("_-_", "subtract_double", (a, b) => a - b),
  declare("_-_", "subtract_duration_duration", [duration, duration], duration, (a, b) =>
    CelDuration.of(a.nanos - b.nanos),
  ),
  ints("_-_", "subtract_int64", subtractInt),
  declare("_-_", "subtract_timestamp_duration", [timestamp, duration], timestamp, (a, b) =>
    CelTimestamp.of(a.nanos - b.nanos),
  ),
  declare("_-_", "subtract_timestamp_timestamp", [timestamp, timestamp], duration, (a, b) =>
    CelDuration.of(a.nanos - b.nanos),
  ),
  uints("_-_", "subtract_uint64", (a, b) => a - b),
  doubles("_*_", "multiply_double", (a, b) => a * b),
  ints("_*_", "multiply_int64", multiplyInt),
  uints("_*_", "multiply_uint64", (a, b) => a * b),
  doubles("_/_", "divide_double", (a, b) => a / b),
  ints("_/_", "divide_int64", divideInt),
  uints("_/_", "divide_uint64", (a, b) => a / nonZero(b, "division by zero")),
  ints("_%_", "modulo_int64", remainderInt),
  uints("_%_", "modulo_uint64", (a, b) => a % nonZero(b, "modulus by zero")),
  declare("-_", "negate_double", [double], double, (a): Value => new CelDouble(-a.value)),
  declare("-_", "negate_int64", [int], int, negateInt),
];

function addInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checkInt(BigInt(a) + BigInt(b));
}

function subtractInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checkInt(BigInt(a) - BigInt(b));
}

function multiplyInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding zero changes -0 to 0: an int has no negative zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checkInt(BigInt(a) * BigInt(b));
}

/** Division truncates towards zero. */
function divideInt(a: Int, b: Int): Int {
  if (b === 0) throw new EvalError("division by zero");
  return checkInt(BigInt(a) / BigInt(b));
}

/** The remainder has the sign of the dividend. */
function remainderInt(a: Int, b: Int): Int {
  if (b === 0) throw new EvalError("modulus by zero");
  if (b === -1 && BigInt(a) === minInt) throw new EvalError("integer overflow");
  return toInt(BigInt(a) % BigInt(b));
}

function negateInt(a: Int): Int {
  return typeof a === "number" ? 0 - a : checkInt(-a);
}

function nonZero(value: bigint, message: string): bigint {
  if (value === 0n) throw new EvalError(message);
  return value;
}

/** The size up to which copying two lists is faster than joining them. */
const maxCopied = 32;

/** Evaluates `+` of two lists: sets and list maps merge the other's items, other lists are concatenated. */
function joinLists(first: CelList, second: CelList): CelList {
  if (first.plus) return first.plus(second);
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  if (first.size + second.size <= maxCopied || first instanceof JoinedList) {
    return new NativeList([...first.toArray(), ...second.toArray()]);
  }
  return new JoinedList(first, second);
}

/** The concatenation of two lists without copying, which would make `+` in comprehensions quadratic. */
class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size);
  }
}
