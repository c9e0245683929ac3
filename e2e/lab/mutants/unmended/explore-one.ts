import { explore, type Scenario } from "@tsbuilder/simulation";
import { scenarios } from "./scenarios.ts";

/** Explores the scenario that the first argument names, for as many seeds as the second says; prints what is found. */
const [name, seeds] = process.argv.slice(2);
const scenario: Scenario | undefined = scenarios[name as keyof typeof scenarios];
if (!scenario) throw new Error(`there is no scenario "${name}"`);
const { failure } = await explore(scenario, { seeds: Number(seeds), shrinks: 10 });
const found = failure && {
  class: failure.verdict.class,
  message: failure.verdict.message,
  seed: failure.seed,
};
process.stdout.write(JSON.stringify(found ?? { class: "nothing" }));
