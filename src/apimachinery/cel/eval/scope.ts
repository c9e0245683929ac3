/** Which slot a name has; comprehensions open scopes in which names hide others. */
export class Scope {
  readonly #names = new Map<string, number>();
  readonly #parent: Scope | undefined;
  readonly #counter: { count: number };
  /** The names that must be given from outside, with their slots. */
  readonly free: Map<string, number>;

  constructor(parent?: Scope) {
    this.#parent = parent;
    this.#counter = parent ? parent.#counter : { count: 0 };
    this.free = parent ? parent.free : new Map();
  }

  get size(): number {
    return this.#counter.count;
  }

  define(name: string): number {
    const slot = this.#counter.count++;
    this.#names.set(name, slot);
    return slot;
  }

  /** The slot of a variable of a comprehension around. */
  findLocal(name: string): number | undefined {
    return this.#names.get(name) ?? this.#parent?.findLocal(name);
  }

  /** The slot of a variable, which is made when nothing inside of the expression defines it. */
  resolve(name: string): number {
    const known = this.findLocal(name) ?? this.free.get(name);
    if (known !== undefined) return known;
    const slot = this.#counter.count++;
    this.free.set(name, slot);
    return slot;
  }
}
