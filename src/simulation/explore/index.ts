/**
 * Many seeds of one scenario. Begin with `explore.ts`, the loop: it draws faults (`draw-faults.ts`), compares a disturbed
 * run with the undisturbed ones (`examine.ts`), shrinks the first failure and names its class (`shrink.ts`), and tells its
 * story (`story.ts`, `advice.ts`).
 */
export {
  type CrashPoints,
  examineScenario,
  explore,
  type Exploration,
  type ExploreOptions,
  type Failure,
} from "./explore.ts";
