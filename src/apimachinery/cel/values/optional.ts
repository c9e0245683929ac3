import type { Value } from "./value.ts";

/** A value that may be absent: `undefined` means absent, `null` is a value. */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}
