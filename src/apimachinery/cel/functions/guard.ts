import type { CelType } from "../types/type.ts";
import { CelDouble } from "../values/double.ts";
import { isInt } from "../values/int.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CelOptional } from "../values/optional.ts";
import { CelDuration, CelTimestamp } from "../values/time.ts";
import { TypeValue } from "../values/type-value.ts";
import { typeOf } from "../values/type-of.ts";
import { CelUint } from "../values/uint.ts";
import type { Value } from "../values/value.ts";

/** Returns a function that checks at run time whether a value has a type. */
export function guardOf(type: CelType): (value: Value) => boolean {
  switch (type.kind) {
    case "int":
      return isInt;
    case "uint":
      return (value) => value instanceof CelUint;
    case "double":
      return (value) => value instanceof CelDouble;
    case "bool":
      return (value) => typeof value === "boolean";
    case "string":
      return (value) => typeof value === "string";
    case "bytes":
      return (value) => value instanceof Uint8Array;
    case "null":
      return (value) => value === null;
    case "list":
      return listGuard(type.params[0]!);
    case "map":
      return (value) => value instanceof CelMap;
    case "timestamp":
      return (value) => value instanceof CelTimestamp;
    case "duration":
      return (value) => value instanceof CelDuration;
    case "type":
      return (value) => value instanceof TypeValue;
    case "opaque":
      if (type.name === "optional_type") return (value) => value instanceof CelOptional;
      return (value) => typeOf(value).name === type.name;
    case "object":
      return (value) => typeOf(value).name === type.name;
    default:
      return () => true;
  }
}

/** The first item decides the type of a list. */
function listGuard(item: CelType): (value: Value) => boolean {
  if (item.kind === "param" || item.kind === "dyn") return (value) => value instanceof CelList;
  const guard = guardOf(item);
  return (value) => value instanceof CelList && (value.size === 0 || guard(value.at(0)));
}
