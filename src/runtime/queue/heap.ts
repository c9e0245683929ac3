/** An item of a heap. It stores its own position, so that it can be moved and removed without a search. */
export interface HeapItem {
  /** -1 while it is in no heap. */
  place: number;
}

/** A binary heap: the first item by `isBefore` is available at once; other operations take logarithmic time. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (left: T, right: T) => boolean;

  constructor(isBefore: (left: T, right: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#put(item, this.#items.length);
    this.#rise(item);
  }

  /** Restores the position of an item after its order changed. */
  move(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  remove(item: T): void {
    const { place } = item;
    const last = this.#items.pop()!;
    item.place = -1;
    if (last === item) return;
    this.#put(last, place);
    this.move(last);
  }

  clear(): void {
    for (const item of this.#items) item.place = -1;
    this.#items.length = 0;
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const parent = this.#items[(item.place - 1) >> 1]!;
      if (!this.#isBefore(item, parent)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.place + 1];
      if (left === undefined) return;
      const right = this.#items[2 * item.place + 2];
      const child = right !== undefined && this.#isBefore(right, left) ? right : left;
      if (!this.#isBefore(child, item)) return;
      this.#swap(item, child);
    }
  }

  #swap(left: T, right: T): void {
    const { place } = left;
    this.#put(left, right.place);
    this.#put(right, place);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
