import type { Value } from "./value.ts";

/** A list. Lists over JSON adapt their items on access. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): Value;

  /** Equality of sets and list maps. */
  equals?(other: CelList): boolean;
  /** `+` of sets and list maps, which merges. */
  plus?(other: CelList): CelList;

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  toArray(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list of CEL values. */
export class NativeList extends CelList {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index]!;
  }

  override toArray(): Value[] {
    return [...this.items];
  }
}
