import { listType, paramType, types } from "../types/type.ts";
import {
  CelDouble,
  type CelList,
  CelUint,
  type Int,
  type Value,
  addInt,
  checkUint,
  divideInt,
  joinLists,
  multiplyInt,
  negateInt,
  remainderInt,
  subtractInt,
} from "../values/value.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";
import { EvalError } from "../values/eval-error.ts";
import { declare } from "./function.ts";

const { bytes, double, duration, int, string, timestamp, uint } = types;
const items = listType(paramType("A"));

const uints = (name: string, id: string, apply: (a: bigint, b: bigint) => bigint) =>
  declare(
    name,
    id,
    [uint, uint],
    uint,
    (a: CelUint, b: CelUint) => new CelUint(checkUint(apply(BigInt(a.value), BigInt(b.value)))),
  );

const doubles = (name: string, id: string, apply: (a: number, b: number) => number) =>
  declare(
    name,
    id,
    [double, double],
    double,
    (a: CelDouble, b: CelDouble) => new CelDouble(apply(a.value, b.value)),
  );

const ints = (name: string, id: string, apply: (a: Int, b: Int) => Int) =>
  declare(name, id, [int, int], int, apply);

function nonZero(value: bigint, message: string): bigint {
  if (value === 0n) throw new EvalError(message);
  return value;
}

/** `+ - * / %` and negation. */
export const arithmetic = [
  declare(
    "_+_",
    "add_bytes",
    [bytes, bytes],
    bytes,
    (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
  ),
  doubles("_+_", "add_double", (a, b) => a + b),
  declare("_+_", "add_duration_duration", [duration, duration], duration, (a: CelDuration, b: CelDuration) =>
    CelDuration.of(a.nanos + b.nanos),
  ),
  declare(
    "_+_",
    "add_duration_timestamp",
    [duration, timestamp],
    timestamp,
    (a: CelDuration, b: CelTimestamp) => CelTimestamp.of(a.nanos + b.nanos),
  ),
  declare(
    "_+_",
    "add_timestamp_duration",
    [timestamp, duration],
    timestamp,
    (a: CelTimestamp, b: CelDuration) => CelTimestamp.of(a.nanos + b.nanos),
  ),
  ints("_+_", "add_int64", addInt),
  declare("_+_", "add_list", [items, items], items, (a: CelList, b: CelList) => joinLists(a, b)),
  declare("_+_", "add_string", [string, string], string, (a: string, b: string) => a + b),
  uints("_+_", "add_uint64", (a, b) => a + b),
  doubles("_-_", "subtract_double", (a, b) => a - b),
  declare(
    "_-_",
    "subtract_duration_duration",
    [duration, duration],
    duration,
    (a: CelDuration, b: CelDuration) => CelDuration.of(a.nanos - b.nanos),
  ),
  ints("_-_", "subtract_int64", subtractInt),
  declare(
    "_-_",
    "subtract_timestamp_duration",
    [timestamp, duration],
    timestamp,
    (a: CelTimestamp, b: CelDuration) => CelTimestamp.of(a.nanos - b.nanos),
  ),
  declare(
    "_-_",
    "subtract_timestamp_timestamp",
    [timestamp, timestamp],
    duration,
    (a: CelTimestamp, b: CelTimestamp) => CelDuration.of(a.nanos - b.nanos),
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
  declare("-_", "negate_double", [double], double, (a: CelDouble): Value => new CelDouble(-a.value)),
  declare("-_", "negate_int64", [int], int, negateInt),
];
