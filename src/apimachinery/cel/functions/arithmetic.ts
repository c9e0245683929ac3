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
import { declare, overload } from "./function.ts";

const { bytes, double, duration, int, string, timestamp, uint } = types;
const items = listType(paramType("A"));

const uints = (id: string, apply: (a: bigint, b: bigint) => bigint) =>
  overload(
    id,
    [uint, uint],
    uint,
    (a: CelUint, b: CelUint) => new CelUint(checkUint(apply(BigInt(a.value), BigInt(b.value)))),
  );

const doubles = (id: string, apply: (a: number, b: number) => number) =>
  overload(
    id,
    [double, double],
    double,
    (a: CelDouble, b: CelDouble) => new CelDouble(apply(a.value, b.value)),
  );

const ints = (id: string, apply: (a: Int, b: Int) => Int) => overload(id, [int, int], int, apply);

function nonZero(value: bigint, message: string): bigint {
  if (value === 0n) throw new EvalError(message);
  return value;
}

/** `+ - * / %` and negation. */
export const arithmetic = [
  declare(
    "_+_",
    overload(
      "add_bytes",
      [bytes, bytes],
      bytes,
      (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
    ),
    doubles("add_double", (a, b) => a + b),
    overload("add_duration_duration", [duration, duration], duration, (a: CelDuration, b: CelDuration) =>
      CelDuration.of(a.nanos + b.nanos),
    ),
    overload("add_duration_timestamp", [duration, timestamp], timestamp, (a: CelDuration, b: CelTimestamp) =>
      CelTimestamp.of(a.nanos + b.nanos),
    ),
    overload("add_timestamp_duration", [timestamp, duration], timestamp, (a: CelTimestamp, b: CelDuration) =>
      CelTimestamp.of(a.nanos + b.nanos),
    ),
    ints("add_int64", addInt),
    overload("add_list", [items, items], items, (a: CelList, b: CelList) => joinLists(a, b)),
    overload("add_string", [string, string], string, (a: string, b: string) => a + b),
    uints("add_uint64", (a, b) => a + b),
  ),
  declare(
    "_-_",
    doubles("subtract_double", (a, b) => a - b),
    overload("subtract_duration_duration", [duration, duration], duration, (a: CelDuration, b: CelDuration) =>
      CelDuration.of(a.nanos - b.nanos),
    ),
    ints("subtract_int64", subtractInt),
    overload(
      "subtract_timestamp_duration",
      [timestamp, duration],
      timestamp,
      (a: CelTimestamp, b: CelDuration) => CelTimestamp.of(a.nanos - b.nanos),
    ),
    overload(
      "subtract_timestamp_timestamp",
      [timestamp, timestamp],
      duration,
      (a: CelTimestamp, b: CelTimestamp) => CelDuration.of(a.nanos - b.nanos),
    ),
    uints("subtract_uint64", (a, b) => a - b),
  ),
  declare(
    "_*_",
    doubles("multiply_double", (a, b) => a * b),
    ints("multiply_int64", multiplyInt),
    uints("multiply_uint64", (a, b) => a * b),
  ),
  declare(
    "_/_",
    doubles("divide_double", (a, b) => a / b),
    ints("divide_int64", divideInt),
    uints("divide_uint64", (a, b) => a / nonZero(b, "division by zero")),
  ),
  declare(
    "_%_",
    ints("modulo_int64", remainderInt),
    uints("modulo_uint64", (a, b) => a % nonZero(b, "modulus by zero")),
  ),
  declare(
    "-_",
    overload("negate_double", [double], double, (a: CelDouble): Value => new CelDouble(-a.value)),
    overload("negate_int64", [int], int, negateInt),
  ),
];
