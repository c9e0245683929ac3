import type { Value } from "../values/value.ts";
import type { CelType } from "./type.ts";

/** A type with struct literals: `JSONPatch{op: "remove", path: "/spec"}`. */
export interface StructType {
  readonly type: CelType;
  /** Returns the type of a field, or undefined for an unknown field. */
  fieldType(field: string): CelType | undefined;
  construct(fields: ReadonlyMap<string, Value>): Value;
}
