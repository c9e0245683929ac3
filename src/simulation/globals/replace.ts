type Table = { [name: string]: unknown };

/** Replacements of properties, which can be undone in reverse order. */
export class Replacements {
  readonly #undo: Array<() => void> = [];

  set(table: object, name: string, replace: (real: never) => unknown): void {
    const real = Object.getOwnPropertyDescriptor(table, name);
    const value = replace((table as Table)[name] as never);
    Object.defineProperty(table, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: real?.enumerable ?? true,
    });
    this.#undo.push(() => {
      if (real) Object.defineProperty(table, name, real);
      else delete (table as Table)[name];
    });
  }

  undo(): void {
    for (const undo of this.#undo.toReversed()) undo();
  }
}
