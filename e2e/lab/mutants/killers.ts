import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { Mutant } from "./find-mutants.ts";
import type { Verdict } from "./run-tests.ts";

/** The test file that noticed a mutant the last time, by the mutant's id. */
export type Killers = Readonly<Record<string, string>>;

const recorded = join(import.meta.dirname, "killers.json");

export function readKillers(): Killers {
  return JSON.parse(readFileSync(recorded, "utf8")) as Killers;
}

/** Adds what noticed the mutants now, and leaves out those whose code is gone. */
export function writeKillers(
  before: Killers,
  verdicts: ReadonlyMap<Mutant, Verdict>,
  all: readonly Mutant[],
): void {
  const killers = new Map(Object.entries(before));
  for (const [{ id }, verdict] of verdicts) {
    if (verdict?.file === undefined) killers.delete(id);
    else killers.set(id, verdict.file);
  }
  const ids = new Set(all.map(({ id }) => id));
  const kept = [...killers].filter(([id]) => ids.has(id)).sort(([a], [b]) => compareText(a, b));
  writeFileSync(recorded, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
