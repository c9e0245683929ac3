import type { Value } from "./value.ts";

/** A list. Lists over JSON adapt their items when they are asked for. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): Value;

  /** Sets and list maps have an equality of their own. */
  equals?(other: CelList): boolean;
  /** Sets and list maps are merged where other lists are joined. */
  plus?(other: CelList): CelList;

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  toArray(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list of values that exist already. */
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
