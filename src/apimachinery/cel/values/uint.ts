import { type Int, toInt } from "./int.ts";

/** A CEL uint, boxed to be told from an int. */
export class CelUint {
  readonly value: Int;

  constructor(value: Int) {
    this.value = typeof value === "bigint" ? toInt(value) : value;
  }
}
