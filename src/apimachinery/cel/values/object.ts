import type { CelType } from "../types/type.ts";
import type { Value } from "./value.ts";

/** A struct: its fields are declared by name, and may be unset. */
export abstract class CelObject {
  abstract readonly celType: CelType;
  /** The number of fields, declared or not. */
  abstract readonly size: number;
  abstract has(field: string): boolean;
  /** Returns the value of a field; undefined if it is not set. */
  abstract find(field: string): Value | undefined;
  /** The names of the fields that are set. */
  abstract fields(): string[];
}
