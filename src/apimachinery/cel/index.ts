export { type Expr, operators } from "./ast.ts";
export { Env, type EnvOptions } from "./check/env.ts";
export { type Compiled, compile, compileStrictly } from "./compile.ts";
export type { Outcome, Program } from "./eval/program.ts";
export {
  type AccessDecision,
  type AccessOracle,
  type AccessQuestion,
  authorizerType,
  authorizerValue,
  resourceCheckType,
  resourceCheckValue,
} from "./lib/authorizer.ts";
export { appliedObjectType, jsonPatchType, mutations, mutationStructs } from "./lib/mutations.ts";
export { quantityType } from "./lib/quantities.ts";
export { checkSchema, type CheckSchemaOptions } from "./rules/check-schema.ts";
export type { CompiledRules, RuleOptions } from "./rules/compiled-rules.ts";
export { compileRules, hasRules } from "./rules/compile-rules.ts";
export { compileValidator, type Validator } from "./rules/compile-validator.ts";
export { kubernetesEnv } from "./rules/environment.ts";
export {
  messageLimit,
  perCallLimit,
  runtimeBudget,
  staticRuleLimit,
  staticSchemaLimit,
} from "./rules/limits.ts";
export { CelSyntaxError, formatIssues, type Issue } from "./syntax/issue.ts";
export { parse } from "./syntax/parser.ts";
export { type CelType, formatType, isSameType, listType, mapType, objectType, types } from "./types/type.ts";
export { CelDouble } from "./values/double.ts";
export { CostLimitError, EvalError, OutOfBudgetError } from "./values/eval-error.ts";
export { show } from "./values/show.ts";
export { fromJSON } from "./values/from-json.ts";
export { CelList } from "./values/list.ts";
export { CelMap } from "./values/map.ts";
export { CelObject } from "./values/object.ts";
export { toJSON } from "./values/to-json.ts";
export { CelUint } from "./values/uint.ts";
export type { Value } from "./values/value.ts";
export { WrittenObject } from "./values/written-object.ts";
