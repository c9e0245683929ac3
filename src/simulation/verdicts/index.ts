/**
 * The judgement of runs. `judge.ts` has the mistakes that one run shows by itself; `differences.ts` compares the outcomes of
 * two, without what `left-out.ts` and chance excuse.
 */
export {
  type Chance,
  chanceOf,
  type Difference,
  differencesBesides,
  differencesOf,
  differenceText,
} from "./differences.ts";
export { judgeState, judgeTrace } from "./judge.ts";
export { derivedIn, impossibleIn, isImpossible, pausedObjects } from "./left-out.ts";
