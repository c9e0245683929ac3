import { goFloat } from "../../text/index.ts";
import { parseGoDuration } from "../../schema/formats/times.ts";
import { typeType } from "../types/type.ts";
import type { Int, Value } from "../values/value.ts";
import { CelDouble, CelUint, TypeValue, checkInt, checkUint, typeOf } from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import {
  CelDuration,
  CelTimestamp,
  floorDivide,
  formatDuration,
  formatTimestamp,
  parseTimestamp,
} from "../values/time.ts";
import { anyType, declare, typed } from "./function.ts";

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = typed;
const any = anyType("A");
const same = (value: Value): Value => value;

/** Type conversions: `int(x)`, `string(x)` … */
export const conversions = [
  declare("bool", "bool_to_bool", [bool], bool, same),
  declare("bool", "string_to_bool", [string], bool, toBool),
  declare("bytes", "bytes_to_bytes", [bytes], bytes, same),
  declare("bytes", "string_to_bytes", [string], bytes, (a) => new Uint8Array(Buffer.from(a))),
  declare("double", "double_to_double", [double], double, same),
  declare("double", "int64_to_double", [int], double, (a) => new CelDouble(Number(a))),
  declare("double", "string_to_double", [string], double, toDouble),
  declare("double", "uint64_to_double", [uint], double, (a) => new CelDouble(Number(a.value))),
  declare("duration", "duration_to_duration", [duration], duration, same),
  declare("duration", "int64_to_duration", [int], duration, (a) => CelDuration.of(BigInt(a))),
  declare("duration", "string_to_duration", [string], duration, toDuration),
  declare("dyn", "to_dyn", [any], dyn, same),
  declare("int", "int64_to_int64", [int], int, same),
  declare("int", "double_to_int64", [double], int, (a) => checkInt(truncate(a, 2 ** 63, "integer overflow"))),
  declare("int", "duration_to_int64", [duration], int, (a) => checkInt(a.nanos)),
  declare("int", "string_to_int64", [string], int, (a) => toInteger(a, true)),
  declare("int", "timestamp_to_int64", [timestamp], int, (a) =>
    checkInt(floorDivide(a.nanos, 1_000_000_000n)),
  ),
  declare("int", "uint64_to_int64", [uint], int, (a) => checkInt(BigInt(a.value))),
  declare("string", "string_to_string", [string], string, same),
  declare("string", "bool_to_string", [bool], string, String),
  declare("string", "bytes_to_string", [bytes], string, decodeText),
  declare("string", "double_to_string", [double], string, (a) => goFloat(a.value)),
  declare("string", "duration_to_string", [duration], string, formatDuration),
  declare("string", "int64_to_string", [int], string, String),
  declare("string", "timestamp_to_string", [timestamp], string, formatTimestamp),
  declare("string", "uint64_to_string", [uint], string, (a) => String(a.value)),
  declare("timestamp", "timestamp_to_timestamp", [timestamp], timestamp, same),
  declare("timestamp", "int64_to_timestamp", [int], timestamp, (a) =>
    CelTimestamp.of(BigInt(a) * 1_000_000_000n),
  ),
  declare("timestamp", "string_to_timestamp", [string], timestamp, toTimestamp),
  declare("type", "type", [any], typeType(any), (a) => new TypeValue(typeOf(a))),
  declare("uint", "uint64_to_uint64", [uint], uint, same),
  declare(
    "uint",
    "double_to_uint64",
    [double],
    uint,
    (a) => new CelUint(checkUint(truncate(a, 2 ** 64, "unsigned integer overflow"))),
  ),
  declare("uint", "int64_to_uint64", [int], uint, (a) => new CelUint(checkUint(BigInt(a)))),
  declare("uint", "string_to_uint64", [string], uint, (a) => new CelUint(toInteger(a, false))),
];

/** Truncates a double towards zero; throws if it may be out of range for int64 or uint64. */
function truncate({ value }: CelDouble, limit: number, message: string): bigint {
  if (Number.isNaN(value) || value >= limit || value <= -(2 ** 63)) throw new EvalError(message);
  return BigInt(Math.trunc(value));
}

function toInteger(text: string, signed: boolean): Int {
  const pattern = signed ? /^[+-]?\d+$/ : /^\d+$/;
  if (!pattern.test(text))
    throw new EvalError(`type conversion error from 'string' to '${signed ? "int" : "uint"}'`);
  const magnitude = BigInt(text.replace(/^[+-]/, ""));
  return signed ? checkInt(text.startsWith("-") ? -magnitude : magnitude) : checkUint(magnitude);
}

function toDouble(text: string): CelDouble {
  if (/^[+-]?(?:inf|infinity)$/i.test(text))
    return new CelDouble(text.startsWith("-") ? -Infinity : Infinity);
  if (/^nan$/i.test(text)) return new CelDouble(Number.NaN);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    throw new EvalError("type conversion error from 'string' to 'double'");
  }
  return new CelDouble(Number(text));
}

function toBool(text: string): boolean {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  throw new EvalError("type conversion error from 'string' to 'bool'");
}

function decodeText(value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new EvalError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function toTimestamp(text: string): CelTimestamp {
  const time = parseTimestamp(text);
  if (!time) throw new EvalError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  return CelTimestamp.of(time.nanos);
}

function toDuration(text: string): CelDuration {
  const nanos = parseGoDuration(text);
  if (nanos === undefined || !isProtobufDuration(nanos)) {
    throw new EvalError("type conversion error from 'string' to 'google.protobuf.Duration'");
  }
  return new CelDuration(nanos);
}

/** The range of protobuf's Duration, about ten thousand years. */
const maxDurationSeconds = 315_576_000_000n;

function isProtobufDuration(nanos: bigint): boolean {
  const seconds = nanos / 1_000_000_000n;
  return seconds <= maxDurationSeconds && seconds >= -maxDurationSeconds;
}
