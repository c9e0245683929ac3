/**
 * The loader reads TypeScript without a type checker. Begin with `module-graph.ts`, which resolves names across files;
 * `parse-module.ts` converts the parser's nodes to the syntax of `syntax.ts`; no other folder knows the parser.
 * `evaluate.ts` computes constants.
 */

export type { CommentBlock, LeadingComments } from "./comments.ts";
export { evaluate, hasLiteralType, isDefineKind, NotStatic, type StaticValue } from "./evaluate.ts";
export { type KeptModule, keepModule, restoreModule } from "./parse-module.ts";
export { type Declared, type ModuleCache, ModuleGraph, type Resolved } from "./module-graph.ts";
export type * from "./syntax.ts";
