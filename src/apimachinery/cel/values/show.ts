import { goFloat, quote } from "../../text/index.ts";
import { CelDouble } from "./double.ts";
import { CelList } from "./list.ts";
import { CelMap } from "./map.ts";
import { CelOptional } from "./optional.ts";
import { CelDuration, CelTimestamp, formatDuration, formatTimestamp } from "./time.ts";
import { TypeValue } from "./type-value.ts";
import { typeOf } from "./type-of.ts";
import { CelUint } from "./uint.ts";
import type { Value } from "./value.ts";

/** Formats a value in CEL's notation, if it has one. */
export function show(value: Value): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return goFloat(value.value);
  if (value instanceof Uint8Array) return `b${quote(Buffer.from(value).toString("latin1"))}`;
  if (value instanceof CelList) return `[${value.toArray().map(show).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${value
      .keys()
      .map((key) => `${show(key)}: ${show(value.find(key)!)}`)
      .join(", ")}}`;
  if (value instanceof CelTimestamp) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof CelDuration) return `duration("${formatDuration(value)}")`;
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none()" : `optional.of(${show(value.value)})`;
  if (value instanceof TypeValue) return value.name;
  return typeof value === "object" && value !== null ? typeOf(value).name : String(value);
}
