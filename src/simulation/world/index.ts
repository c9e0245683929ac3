/**
 * One run, from the first start of its processes to the end of its deletions. Begin with `simulate.ts`. `world.ts` has the
 * cluster and its records, `replica.ts` a process, `network.ts` everything between the two.
 */
export { faultText } from "./fault-plan.ts";
export { outcomeOf, simulate } from "./simulate.ts";
export { pauseOf, stepText } from "./user.ts";
