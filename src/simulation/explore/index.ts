export type { CrashPoints } from "./crash-points.ts";
export { examineScenario, explore, type Exploration, type ExploreOptions, type Failure } from "./explore.ts";
