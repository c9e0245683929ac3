export type { CommentBlock, LeadingComments } from "./comments.ts";
export { isDefineKind } from "./evaluate.ts";
export { evaluate, hasLiteralType, NotStatic, type StaticValue } from "./evaluate.ts";
export { type KeptModule, keepModule, restoreModule } from "./parse-module.ts";
export { type Declared, type ModuleCache, ModuleGraph, type Resolved } from "./module-graph.ts";
export type * from "./syntax.ts";
