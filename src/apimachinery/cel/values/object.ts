import type { CelType } from "../types/type.ts";
import type { Value } from "./value.ts";

/** A struct: its fields are known by name, and some may be unset. */
export abstract class CelObject {
  abstract readonly celType: CelType;
  /** How many fields it has, described or not. */
  abstract readonly size: number;
  abstract has(field: string): boolean;
  /** The value of a field that is set, else undefined. */
  abstract find(field: string): Value | undefined;
  /** The names of the fields that are set. */
  abstract fields(): string[];
}
