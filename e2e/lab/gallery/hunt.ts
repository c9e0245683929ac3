import { explore, type Failure } from "@tsbuilder/simulation";
import { seedsPerPlan } from "../../../src/simulation/explore/explore.ts";
import type { Exhibit } from "./exhibits.ts";
import { scenarioOf } from "./scenario-of.ts";

/** How far a version of an exhibit is searched. */
export interface Hunt {
  /** The first plan of steps. Default: 1. */
  readonly from?: number;
  readonly plans: number;
  /** How many schedules of faults each plan is run with; `seedsPerPlan` at most. */
  readonly seeds: number;
}

/** Explores a version of an exhibit until something is wrong. */
export async function hunt(
  exhibit: Exhibit,
  version: "wrong" | "right",
  { from = 1, plans, seeds }: Hunt,
): Promise<Failure | undefined> {
  const scenario = await scenarioOf(exhibit, version);
  for (let plan = from; plan < from + plans; plan++) {
    const { failure } = await explore(scenario, { from: plan * seedsPerPlan, seeds });
    if (failure) return failure;
  }
  return undefined;
}
