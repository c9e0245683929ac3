import { CelDouble } from "./double.ts";
import { toInt } from "./int.ts";
import { NativeList } from "./list.ts";
import { NativeMap } from "./map.ts";
import type { Value } from "./value.ts";

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
