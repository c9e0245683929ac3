/**
 * CEL (Common Expression Language). Begin with `eval/program.ts`, which parses (`syntax`), checks (`check`) and compiles an
 * expression; `functions` and `lib` have the functions, `values` the values, `cost` both cost models. `rules` evaluates
 * the rules of a schema, for which `schema` adapts JSON.
 */

export { type Expr, operators } from "./ast.ts";
export { Env, type EnvOptions } from "./check/env.ts";
export { compile, type Compiled, compileStrictly, type Outcome, type Program } from "./eval/program.ts";
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
export type { CompiledRules, RuleOptions, Validator } from "./rules/compile-rules.ts";
export { compileRules, compileValidator, hasRules } from "./rules/compile-rules.ts";
export { kubernetesEnv } from "./lib/libraries.ts";
export {
  messageLimit,
  perCallLimit,
  runtimeBudget,
  staticRuleLimit,
  staticSchemaLimit,
} from "./rules/compile-rule.ts";
export { CelSyntaxError, formatIssues, type Issue } from "./syntax/issue.ts";
export { parse } from "./syntax/parser.ts";
export { type CelType, formatType, isSameType, listType, mapType, objectType, types } from "./types/type.ts";
export { CelDouble, CelList, CelMap, CelObject, CelUint, type Value, WrittenObject } from "./values/value.ts";
export { CostLimitError, EvalError, OutOfBudgetError } from "./values/eval-error.ts";
export { fromJSON, show, toJSON } from "./values/convert.ts";
