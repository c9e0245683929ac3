import type { CelType } from "../types/type.ts";
import type { Value } from "./value.ts";

/** A value of a library's type: a URL, a quantity, an IP address. */
export abstract class ExtensionValue {
  abstract readonly celType: CelType;
  abstract equals(other: Value): boolean;
}
