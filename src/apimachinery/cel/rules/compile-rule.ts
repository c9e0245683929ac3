import type { Expr } from "../ast.ts";
import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";
import { type FieldPath, parseFieldPath } from "../../schema/field-path.ts";
import { check } from "../check/checker.ts";
import type { Env } from "../check/env.ts";
import { validateLiterals } from "../check/validate-literals.ts";
import { estimateCost } from "../cost/estimate.ts";
import { type Program, compileProgram } from "../eval/program.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelSyntaxError } from "../syntax/issue.ts";
import { parse } from "../syntax/parser.ts";
import { optionalType } from "../types/type.ts";
import { kubernetesEnv } from "../lib/libraries.ts";

/** A compiled rule, with its estimated costs. A rule with an error, or without an expression, has no program. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** The compilation error. */
  readonly error?: string;
  readonly program?: Program;
  readonly usesOldSelf: boolean;
  /** The maximum cost of one evaluation. */
  readonly maxCost: number;
  readonly message?: Program;
  readonly messageError?: string;
  readonly messageMaxCost: number;
  /** The field of errors, relative to the value. */
  readonly fieldPath?: FieldPath;
}

/** Compiles the rules of one node, with the variables `self` and `oldSelf`. */
export function compileNodeRules(schema: JSONSchema, decl: DeclType): CompiledRule[] {
  const required = kubernetesEnv().withVariables([
    ["self", decl.type],
    ["oldSelf", decl.type],
  ]);
  const optional = kubernetesEnv().withVariables([
    ["self", decl.type],
    ["oldSelf", optionalType(decl.type)],
  ]);
  return (schema["x-kubernetes-validations"] ?? []).map((rule) =>
    compileRule(rule, rule.optionalOldSelf === true ? optional : required, schema, decl),
  );
}

function compileRule(rule: ValidationRule, env: Env, schema: JSONSchema, decl: DeclType): CompiledRule {
  const notCompiled = { rule, usesOldSelf: false, maxCost: 0, messageMaxCost: 0 };
  const { rule: source = "" } = rule;
  if (source.trim() === "") return notCompiled;
  const compiled = compileExpression(source, env, decl, "bool", "cel expression must evaluate to a bool");
  if ("error" in compiled) return { ...notCompiled, error: compiled.error };
  const path = rule.fieldPath ? parseFieldPath(rule.fieldPath, schema) : undefined;
  return {
    rule,
    program: compiled.program,
    usesOldSelf: compiled.program.variables.includes("oldSelf"),
    maxCost: compiled.maxCost,
    ...compileMessage(rule, env, decl),
    ...(typeof path === "object" ? { fieldPath: path } : {}),
  };
}

function compileMessage(
  { messageExpression = "" }: ValidationRule,
  env: Env,
  decl: DeclType,
): Pick<CompiledRule, "message" | "messageError" | "messageMaxCost"> {
  if (messageExpression === "") return { messageMaxCost: 0 };
  const wrongTypeError = "messageExpression must evaluate to a string";
  const compiled = compileExpression(messageExpression, env, decl, "string", wrongTypeError);
  if ("error" in compiled) {
    return {
      messageError: compiled.error.replace(/^compilation failed/, "messageExpression compilation failed"),
      messageMaxCost: 0,
    };
  }
  return { message: compiled.program, messageMaxCost: compiled.maxCost };
}

/** Compiles an expression and estimates its cost; returns an error in the API server's words if it is invalid. */
function compileExpression(
  source: string,
  env: Env,
  decl: DeclType,
  kind: string,
  wrongTypeError: string,
): { program: Program; maxCost: number } | { error: string } {
  let expr: Expr;
  try {
    expr = parse(source);
    const type = check(source, expr, env);
    validateLiterals(source, expr);
    if (type.kind !== kind) return { error: wrongTypeError };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { error: `compilation failed: ${error.message}` };
    throw error;
  }
  try {
    return { program: compileProgram(expr, env), maxCost: estimateCost(expr, decl) };
  } catch (error) {
    // Conversions of constants are evaluated at compile time.
    if (error instanceof EvalError) return { error: `program instantiation failed: ${error.message}` };
    throw error;
  }
}

/** The cost limit of one evaluation of an expression. */
export const perCallLimit = 1_000_000;

/** The cost limit of all rules of an object. */
export const runtimeBudget = 10_000_000;

/** The limit of the estimated cost of one rule in a CRD. */
export const staticRuleLimit = 10_000_000;

/** The limit of the estimated cost of all rules of a schema. */
export const staticSchemaLimit = 100_000_000;

/** The maximum length of a message from a messageExpression, in bytes. */
export const messageLimit = 5 * 1024;
