import type { CelType } from "../types/type.ts";

/** A type as a value: the result of `type(x)`, and the value of a type's name. */
export class TypeValue {
  readonly of: CelType;

  constructor(of: CelType) {
    this.of = of;
  }

  get name(): string {
    return this.of.runtimeName;
  }
}
