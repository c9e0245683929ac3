import {
  CelDouble,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelUint,
  NativeList,
  NativeMap,
  TypeValue,
  type Value,
  toInt,
  typeOf,
} from "./value.ts";
import { EvalError } from "./eval-error.ts";
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from "./time.ts";
import { goFloat, quote } from "../../text/index.ts";

/** Converts JSON without a schema to CEL values: maps, lists, scalars. */
export function fromJSON(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return new NativeList(json.map(fromJSON));
  if (typeof json === "object") {
    return new NativeMap(Object.entries(json).map(([key, value]) => [key, fromJSON(value)] as const));
  }
  if (typeof json === "number") return Number.isInteger(json) ? toInt(BigInt(json)) : new CelDouble(json);
  return json as string | boolean;
}

/** Converts a value to JSON; throws an EvalError for values that have no JSON representation. */
export function toJSON(value: Value): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (value instanceof CelDouble) return value.value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelList) return value.toArray().map(toJSON);
  if (value instanceof CelMap) return toObject(value.keys().map((key) => [key, value.find(key)!]));
  if (value instanceof CelObject) return toObject(value.fields().map((field) => [field, value.find(field)!]));
  throw new EvalError("unsupported conversion to JSON");
}

function toObject(entries: ReadonlyArray<readonly [Value, Value]>): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof key !== "string") throw new EvalError(`map key ${JSON.stringify(key)} is not a string`);
      return [key, toJSON(value)];
    }),
  );
}

/** Formats a value in CEL's notation; a value that has none, by the name of its type. */
export function show(value: Value): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return goFloat(value.value);
  if (value instanceof Uint8Array) return `b${quote(Buffer.from(value).toString("latin1"))}`;
  if (value instanceof CelList) return `[${value.toArray().map(show).join(", ")}]`;
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => `${show(key)}: ${show(value.find(key)!)}`);
    return `{${entries.join(", ")}}`;
  }
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof CelDuration) return `duration("${formatDuration(value)}")`;
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none()" : `optional.of(${show(value.value)})`;
  if (value instanceof TypeValue) return value.name;
  return typeof value === "object" && value !== null ? typeOf(value).name : String(value);
}
