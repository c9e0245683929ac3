/**
 * The exports of `@tsbuilder/simulation`. A project's test begins in `explore-project.ts`; one run is executed in
 * `world/simulate.ts`. README.md says where everything else is decided.
 */
export * from "./contract/index.ts";
export type { Points, Reached } from "./explore/coverage.ts";
export {
  examineScenario,
  explore,
  type Exploration,
  type ExploreOptions,
  type Failure,
  type ScenarioMaker,
} from "./explore/explore.ts";
export { examineProject, exploreProject, type ProjectFinding } from "./explore-project.ts";
export {
  exploreProgram,
  playProgram,
  type ProgramBudget,
  type ProgramExploration,
  type ProgramMistake,
  type ProgramReport,
} from "./explore-program.ts";
export { OutsideError } from "./globals/environment.ts";
export { operationsFor, type OperationsOptions } from "./operations/operations-for.ts";
export { type UnchangedField, unchangedFields } from "./operations/unchanged-fields.ts";
export type { ProjectExploration } from "./project-scenario.ts";
export { Random } from "@tsbuilder/apimachinery/sample";
export { simulate } from "./world/simulate.ts";
