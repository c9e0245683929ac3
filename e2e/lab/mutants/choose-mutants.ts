import { compareText } from "@tsbuilder/apimachinery/text";
import { dirname } from "node:path";
import type { Mutant } from "./find-mutants.ts";

/**
 * Chooses this many of all mutants: of each folder in proportion to its mutants, but at least two if there are so many,
 * and by their ids, which are hashes. The choice stays the same as long as the code does.
 */
export function chooseMutants(all: readonly Mutant[], count: number): Mutant[] {
  const folders = [...groupByFolder(all)].sort(([a], [b]) => compareText(a, b));
  const least = Math.min(2, Math.floor(count / folders.length));
  const shares = folders.map(([, mutants]) =>
    Math.min(mutants.length, Math.max(least, Math.floor((mutants.length / all.length) * count))),
  );
  for (let i = 0; sum(shares) !== count && sum(shares) < all.length; i = (i + 1) % folders.length) {
    const step = Math.sign(count - sum(shares));
    const share = shares[i]! + step;
    if (share >= least && share <= folders[i]![1].length) shares[i] = share;
  }
  return folders.flatMap(([, mutants], i) =>
    mutants
      .toSorted((a, b) => compareText(a.id, b.id))
      .slice(0, shares[i])
      .sort((a, b) => compareText(a.file, b.file) || a.start - b.start),
  );
}

function groupByFolder(mutants: readonly Mutant[]): Map<string, Mutant[]> {
  const folders = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const folder = dirname(mutant.file);
    folders.set(folder, [...(folders.get(folder) ?? []), mutant]);
  }
  return folders;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
