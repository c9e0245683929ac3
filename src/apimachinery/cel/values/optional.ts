import { EvalError } from "./eval-error.ts";
import type { Value } from "./value.ts";

/** A value that may be absent: `undefined` means absent, `null` is a value. */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly #value: Value | undefined;

  constructor(value: Value | undefined) {
    this.#value = value;
  }

  get value(): Value | undefined {
    return this.#value;
  }

  get isPresent(): boolean {
    return this.#value !== undefined;
  }
}

/** An optional whose value is of another type than its schema's: it is present, but can't be read. */
export class UnreadableOptional extends CelOptional {
  readonly #why: string;

  constructor(why: string) {
    super(undefined);
    this.#why = why;
  }

  override get value(): never {
    throw new EvalError(this.#why);
  }

  override get isPresent(): true {
    return true;
  }
}
