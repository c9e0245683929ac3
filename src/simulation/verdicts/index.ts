export { type Chance, chanceOf, differencesBesides } from "./chance.ts";
export { derivedIn } from "./derived.ts";
export { type Difference, differencesOf, differenceText } from "./differences.ts";
export { impossibleIn, isImpossible } from "./impossible.ts";
export { judgeState } from "./judge-state.ts";
export { judgeTrace } from "./judge-trace.ts";
export { pausedObjects } from "./paused-objects.ts";
