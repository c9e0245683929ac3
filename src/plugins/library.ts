/**
 * Exports of `tsbuilder/scaffold`, for plugins and for other CLIs. Version 0: names may still change, which the
 * changelog then says.
 */
export * from "./contract/define-plugin.ts";
export type { PluginOptions } from "../project/project.ts";
export type { Project, Resource } from "../project/project.ts";
export { formatProject, parseProject, type StoredProject } from "../project/store.ts";
export { applyPlan, recoverPlan } from "../scaffold/apply.ts";
export {
  type Blueprint,
  type Insert,
  joinBlueprints,
  type Part,
  type RenderedFile,
  type TextPart,
} from "../scaffold/blueprint.ts";
export type { FileChange, Ownership, Plan } from "../scaffold/tree.ts";
export { OwnedFiles } from "../scaffold/owned-files.ts";
export { planScaffold, type ScaffoldReport, type ScaffoldRequest } from "../scaffold/plan.ts";
export { diskTree, Draft, memoryTree, type Tree } from "../scaffold/tree.ts";
export { formatUnifiedDiff } from "../scaffold/tree.ts";
export { TsbuilderError } from "../shared/errors.ts";
