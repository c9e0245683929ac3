import type { Compilation } from "../../expressions/compile-expression.ts";
import type {
  MutatingAdmissionPolicySpec,
  Mutation,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { PolicySpec } from "../../expressions/policy.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";

/** The compiled expressions that policies of both kinds have. */
export interface CompiledPolicy {
  readonly compiler: PolicyCompiler;
  readonly conditions: readonly Compilation[];
}

export interface CompiledValidation {
  readonly validation: Validation;
  readonly condition: Compilation;
  readonly message: Compilation | undefined;
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly Compilation[];
}

export interface CompiledMutation {
  readonly mutation: Mutation;
  readonly patch: Compilation;
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledMutation[];
}

/** Compiles a stored policy. A compile error is reported when the expression is evaluated. */
export function compileValidatingPolicy(spec: ValidatingAdmissionPolicySpec): CompiledValidatingPolicy {
  const common = compileCommon(spec);
  const { compiler } = common;
  return {
    ...common,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      condition: compiler.condition(validation.expression),
      message: validation.messageExpression ? compiler.message(validation.messageExpression) : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      compiler.auditAnnotation(valueExpression),
    ),
  };
}

export function compileMutatingPolicy(spec: MutatingAdmissionPolicySpec): CompiledMutatingPolicy {
  const common = compileCommon(spec);
  const mutations = (spec.mutations ?? []).map((mutation) => ({
    mutation,
    patch: compileMutation(common.compiler, mutation),
  }));
  return { ...common, mutations };
}

function compileMutation(compiler: PolicyCompiler, { patchType, ...mutation }: Mutation): Compilation {
  return patchType === "JSONPatch"
    ? compiler.jsonPatch(mutation.jsonPatch?.expression ?? "")
    : compiler.applyConfiguration(mutation.applyConfiguration?.expression ?? "");
}

function compileCommon({ paramKind, variables = [], matchConditions = [] }: PolicySpec): CompiledPolicy {
  const compiler = new PolicyCompiler({ params: paramKind !== undefined, variables: true });
  for (const { name, expression } of variables) compiler.variable(name, expression);
  return {
    compiler,
    conditions: matchConditions.map(({ expression }) => compiler.condition(expression)),
  };
}
