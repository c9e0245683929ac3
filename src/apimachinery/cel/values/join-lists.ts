import { CelList, NativeList } from "./list.ts";
import type { Value } from "./value.ts";

/** The concatenation of two lists without copying, which would make `+` in comprehensions quadratic. */
class JoinedList extends CelList {
  readonly size: number;
  readonly #first: CelList;
  readonly #second: CelList;

  constructor(first: CelList, second: CelList) {
    super();
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    return index < this.#first.size ? this.#first.at(index) : this.#second.at(index - this.#first.size);
  }
}

const copyBelow = 32;

/** Concatenates lists. Sets and list maps merge the other's items. */
export function joinLists(first: CelList, second: CelList): CelList {
  if (first.plus) return first.plus(second);
  if (first.size === 0) return second;
  if (second.size === 0) return first;
  if (first.size + second.size <= copyBelow || first instanceof JoinedList) {
    return new NativeList([...first.toArray(), ...second.toArray()]);
  }
  return new JoinedList(first, second);
}
