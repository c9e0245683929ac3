import type { CelType } from "../types/type.ts";

/** A type as a value: what `type(x)` yields, and what the names of types stand for. */
export class TypeValue {
  readonly of: CelType;

  constructor(of: CelType) {
    this.of = of;
  }

  get name(): string {
    return this.of.runtimeName;
  }
}
