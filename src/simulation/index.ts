/**
 * The exports of `@tsbuilder/simulation`. A project's test begins in `explore-project.ts`; one run is executed in
 * `world/simulate.ts`. README.md says where everything else is decided.
 */
export * from "./contract/index.ts";
export * from "./explore/index.ts";
export {
  examineProject,
  exploreProject,
  type ProjectExploration,
  type ProjectFinding,
} from "./explore-project.ts";
export { OutsideError } from "./globals/index.ts";
export {
  operationsFor,
  type OperationsOptions,
  type UnchangedField,
  unchangedFields,
} from "./operations/index.ts";
export { Random } from "./random.ts";
export { simulate } from "./world/index.ts";
