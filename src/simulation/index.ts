export * from "./contract/index.ts";
export * from "./explore/index.ts";
export { OutsideError } from "./globals/index.ts";
export {
  operationsFor,
  type OperationsOptions,
  type UnchangedField,
  unchangedFields,
} from "./operations/index.ts";
export {
  examineProject,
  exploreProject,
  type ProjectExploration,
  type ProjectFinding,
} from "./project/index.ts";
export { Random } from "./random/index.ts";
export { simulate } from "./world/index.ts";
