import type { CelType } from "../types/type.ts";
import { CelObject } from "./object.ts";
import type { Value } from "./value.ts";

/** The value of a struct literal: `Object.spec{replicas: 3}`. */
export class WrittenObject extends CelObject {
  readonly celType: CelType;
  readonly values: ReadonlyMap<string, Value>;

  constructor(type: CelType, values: ReadonlyMap<string, Value>) {
    super();
    this.celType = type;
    this.values = values;
  }

  get size(): number {
    return this.values.size;
  }

  has(field: string): boolean {
    return this.values.has(field);
  }

  find(field: string): Value | undefined {
    return this.values.get(field);
  }

  fields(): string[] {
    return [...this.values.keys()];
  }
}
