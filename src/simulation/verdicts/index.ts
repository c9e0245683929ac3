export { type Difference, differencesOf, differenceText, nameOf } from "./differences.ts";
export { judgeState } from "./judge-state.ts";
export { judgeTrace } from "./judge-trace.ts";
export { refusedObjects } from "./refused-objects.ts";
