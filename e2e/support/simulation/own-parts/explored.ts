import type { Random, Scenario } from "@tsbuilder/simulation";
import { explore, type Exploration } from "@tsbuilder/simulation";

/** Explores the same few seeds in every run, or ten times as many from the seed that `npm run lab -- explore` gives. */
export function explored(make: Scenario | ((random: Random) => Scenario), few: number): Promise<Exploration> {
  const { TSBUILDER_SEED: seed } = process.env;
  return explore(make, seed === undefined ? { seeds: few } : { seeds: 10 * few, from: Number(seed) });
}
