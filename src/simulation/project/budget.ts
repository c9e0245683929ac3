import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { ExploreOptions } from "../explore/index.ts";

/** How far a project's tests explore: a moment in `npm test`, and as long as `tsbuilder test --explore` says. */
export function budgetOf(env: Readonly<Record<string, string | undefined>>): ExploreOptions {
  const { TSBUILDER_EXPLORE_TIME: time, TSBUILDER_EXPLORE_SEED: from = "1" } = env;
  return time === undefined
    ? { seeds: 20, time: 3000 }
    : { seeds: Infinity, time: parseDuration(time), from: Number(from) };
}
