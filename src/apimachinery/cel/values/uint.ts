import { type Int, toInt } from "./int.ts";

/** A CEL uint. Boxed, to distinguish it from an int. */
export class CelUint {
  readonly value: Int;

  constructor(value: Int) {
    this.value = typeof value === "bigint" ? toInt(value) : value;
  }
}
