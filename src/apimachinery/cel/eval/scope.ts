/** The slots of names; comprehensions open nested scopes, whose names shadow outer ones. */
export class Scope {
  readonly #names = new Map<string, number>();
  readonly #parent: Scope | undefined;
  readonly #counter: { count: number };
  /** The free variables, with their slots. */
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

  /** Returns the slot of an enclosing comprehension's variable. */
  findLocal(name: string): number | undefined {
    return this.#names.get(name) ?? this.#parent?.findLocal(name);
  }

  /** Returns the slot of a variable; adds a free variable if no comprehension defines it. */
  resolve(name: string): number {
    const known = this.findLocal(name) ?? this.free.get(name);
    if (known !== undefined) return known;
    const slot = this.#counter.count++;
    this.free.set(name, slot);
    return slot;
  }
}
