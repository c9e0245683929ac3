import { CelDouble } from "./double.ts";
import { EvalError } from "./eval-error.ts";
import { CelList } from "./list.ts";
import { CelMap } from "./map.ts";
import { CelObject } from "./object.ts";
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from "./time.ts";
import { CelUint } from "./uint.ts";
import type { Value } from "./value.ts";

/** Converts a value to JSON; throws for values that have no JSON representation. */
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
  if (value instanceof CelMap) return objectOf(value.keys().map((key) => [key, value.find(key)!]));
  if (value instanceof CelObject) return objectOf(value.fields().map((field) => [field, value.find(field)!]));
  throw new EvalError("unsupported conversion to JSON");
}

function objectOf(entries: ReadonlyArray<readonly [Value, Value]>): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof key !== "string") throw new EvalError(`map key ${JSON.stringify(key)} is not a string`);
      return [key, toJSON(value)];
    }),
  );
}
