import type { Tarball } from "../pack.ts";

/**
 * How many kilobytes a packed package may have: a fifth more than when it was set, which a mistake exceeds at once, such
 * as a dependency in the bundle or a second copy of the tables. If you add that much on purpose, raise the number.
 */
export const sizeBudgets: Readonly<Record<string, number>> = {
  "@tsbuilder/apimachinery": 985,
  "@tsbuilder/runtime": 610,
  "@tsbuilder/cluster": 560,
  "@tsbuilder/simulation": 210,
  tsbuilder: 3000,
  "create-tsbuilder": 8,
};

/** The packages that are larger than they may be. */
export function checkSize({ name, bytes }: Pick<Tarball, "name" | "bytes">, budgets = sizeBudgets): string[] {
  const budget = budgets[name];
  if (budget === undefined) return [`${name}: has no budget in src/packaging/release/size-budgets.ts`];
  const size = Math.ceil(bytes.length / 1000);
  return size <= budget ? [] : [`${name}: has ${size} kB packed, and may have ${budget}`];
}
