import type { Value } from "../values/value.ts";
import type { CelType } from "./type.ts";

/** A type whose values an expression can write down: `JSONPatch{op: "remove", path: "/spec"}`. */
export interface StructType {
  readonly type: CelType;
  /** The type of a field, or undefined where there is none of that name. */
  fieldType(field: string): CelType | undefined;
  construct(fields: ReadonlyMap<string, Value>): Value;
}
