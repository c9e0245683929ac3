import { listType, mapType, optionalType, type CelType, types } from "../types/type.ts";
import { CelDouble, CelList, CelMap, CelOptional, CelUint, TypeValue, type Value } from "./value.ts";
import { CelDuration, CelTimestamp } from "./time.ts";

const anyList = listType(types.dyn);
const anyMap = mapType(types.dyn, types.dyn);
const anyOptional = optionalType(types.dyn);

/** Returns the run-time type of a value, without the item types of lists and maps. */
export function typeOf(value: Value): CelType {
  switch (typeof value) {
    case "boolean":
      return types.bool;
    case "number":
    case "bigint":
      return types.int;
    case "string":
      return types.string;
    default:
  }
  if (value === null) return types.null;
  if (value instanceof CelUint) return types.uint;
  if (value instanceof CelDouble) return types.double;
  if (value instanceof CelList) return anyList;
  if (value instanceof CelMap) return anyMap;
  if (value instanceof Uint8Array) return types.bytes;
  if (value instanceof CelTimestamp) return types.timestamp;
  if (value instanceof CelDuration) return types.duration;
  if (value instanceof TypeValue) return types.type;
  if (value instanceof CelOptional) return anyOptional;
  return value.celType;
}
