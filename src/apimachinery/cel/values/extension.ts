import type { CelType } from "../types/type.ts";
import type { Value } from "./value.ts";

/** A value of a type that a library brings along: a URL, a quantity, an address. */
export abstract class ExtensionValue {
  abstract readonly celType: CelType;
  abstract equals(other: Value): boolean;
}
